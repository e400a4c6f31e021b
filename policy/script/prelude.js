// Replaces what could make something huge, or walk something endless, within
// one call of the engine, where it cannot be interrupted. Evaluated before each
// script. depth(text) tells how deep a JSON text is nested.
(function (maxText, maxItems, maxDepth, maxPattern, depth) {
  "use strict";
  const apply = Reflect.apply, define = Object.defineProperty, parse = JSON.parse, stringify = JSON.stringify;
  const nothing = function () {};

  function large() {
    throw new RangeError("the result is too large");
  }

  function items(list) {
    if (list !== undefined && list !== null && Number(list.length) > maxItems) large();
  }

  function set(object, name, value) {
    define(object, name, { value, writable: true, configurable: true });
  }

  // guard calls check(self, args) before a function.
  function guard(object, name, check) {
    const original = object[name];
    set(object, name, function (...args) {
      check(this, args);
      return apply(original, this, args);
    });
  }

  for (const name of Object.getOwnPropertyNames(Array.prototype)) {
    if (name !== "constructor" && typeof Array.prototype[name] === "function") guard(Array.prototype, name, items);
  }
  guard(Array.prototype, "concat", function (self, args) {
    let n = self.length;
    for (let i = 0; i < args.length; i++) n += Array.isArray(args[i]) ? args[i].length : 1;
    if (n > maxItems) large();
  });
  guard(Array.prototype, "join", function (self, args) {
    if (Number(self.length) * String(args[0] === undefined ? "," : args[0]).length > maxText) large();
  });
  guard(Array.prototype, "flat", function (self, args) {
    if (args[0] > 100) large();
  });
  guard(Array, "from", (self, args) => items(args[0]));
  guard(String, "raw", (self, args) => items(args[0] && args[0].raw));
  guard(Function.prototype, "apply", (self, args) => items(args[1]));
  guard(Reflect, "apply", (self, args) => items(args[2]));
  guard(Reflect, "construct", (self, args) => items(args[1]));
  guard(String.prototype, "repeat", function (self, args) {
    if (String(self).length * Number(args[0]) > maxText) large();
  });
  for (const name of ["padStart", "padEnd"]) {
    guard(String.prototype, name, function (self, args) {
      if (Number(args[0]) > maxText) large();
    });
  }
  for (const name of ["replace", "replaceAll"]) {
    guard(String.prototype, name, function (self, args) {
      if (typeof args[1] === "function") return;
      const n = String(self).length, by = String(args[1]);
      // $` and $' insert what is before and behind a match.
      const around = by.includes("$`") || by.includes("$'") ? by.length / 2 * n : 0;
      if ((n + 1) * (by.length + around) > 8 * maxText) large();
    });
  }
  guard(String.prototype, "concat", function (self, args) {
    let n = String(self).length;
    for (let i = 0; i < args.length; i++) n += String(args[i]).length;
    if (n > maxText) large();
  });

  // The parser of patterns goes deeper with each parenthesis.
  function pattern(text) {
    if (!(text instanceof Plain) && String(text).length > maxPattern) large();
  }
  const Plain = RegExp;
  const Pattern = function RegExp(text, flags) {
    pattern(text);
    return new Plain(text, flags);
  };
  define(Pattern, "prototype", { value: Plain.prototype });
  set(globalThis, "RegExp", Pattern);
  for (const name of ["match", "matchAll", "search"]) {
    guard(String.prototype, name, (self, args) => pattern(args[0]));
  }

  // The replacer makes the walk stop when the evaluation has to.
  set(JSON, "stringify", (value, replacer, space) =>
    stringify(value, replacer === undefined || replacer === null ? (key, x) => x : replacer, space));
  set(JSON, "parse", function (text, reviver) {
    text = String(text);
    if (text.length > maxText || depth(text) > maxDepth) throw new SyntaxError("the JSON text is too large or nested too deeply");
    return parse(text, reviver);
  });

  // No code is made of text.
  const refuse = function () {
    throw new EvalError("code cannot be made of text");
  };
  for (const fn of [function () {}, function* () {}, async function () {}]) {
    const proto = Object.getPrototypeOf(fn);
    define(proto, "constructor", { value: refuse });
  }
  set(globalThis, "Function", refuse);
  set(globalThis, "eval", refuse);
  for (const name of ["ArrayBuffer", "SharedArrayBuffer", "DataView", "Atomics", "Int8Array", "Uint8Array",
    "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array",
    "BigInt64Array", "BigUint64Array", "BigInt", "Proxy", "WeakRef", "FinalizationRegistry"]) {
    delete globalThis[name];
  }
  set(globalThis, "console", { log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing });
})
