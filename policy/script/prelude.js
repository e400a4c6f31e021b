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

  // guard calls check(self, args) before a function. The property stays as
  // enumerable as it was.
  function guard(object, name, check) {
    const original = object[name];
    object[name] = function (...args) {
      check(this, args);
      return apply(original, this, args);
    };
  }

  const names = Object.getOwnPropertyNames(Array.prototype);
  for (let i = 0; i < names.length; i++) {
    if (names[i] !== "constructor" && names[i] !== "length") guard(Array.prototype, names[i], items);
  }
  guard(Array.prototype, "concat", function (self, args) {
    let n = self.length;
    for (let i = 0; i < args.length; i++) n += Array.isArray(args[i]) ? args[i].length : 1;
    if (n > maxItems) large();
  });
  const join = Array.prototype.join;
  Array.prototype.join = function (separator) {
    separator = separator === undefined ? "," : String(separator);
    const parts = [];
    for (let i = 0, n = Number(this.length), total = 0; i < n; i++) {
      const x = this[i];
      parts[i] = x === undefined || x === null ? "" : String(x);
      total += parts[i].length + separator.length;
      if (i > maxItems || total > maxText) large();
    }
    return apply(join, parts, [separator]);
  };
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
  globalThis.RegExp = Pattern;
  for (const name of ["match", "matchAll", "search"]) {
    guard(String.prototype, name, (self, args) => pattern(args[0]));
  }

  // With a replacer the walk stops when the evaluation has to.
  JSON.stringify = function (value, replacer, space) {
    if (replacer !== undefined && replacer !== null) return stringify(value, replacer, space);
    let total = 0;
    return stringify(value, function (key, x) {
      total += key.length + (typeof x === "string" ? x.length : 8);
      if (total > maxText) large();
      return x;
    }, space);
  };
  JSON.parse = function (text, reviver) {
    text = String(text);
    if (text.length > maxText || depth(text) > maxDepth) throw new SyntaxError("the JSON text is too large or nested too deeply");
    return parse(text, reviver);
  };

  // No code is made of text.
  const refuse = function () {
    throw new EvalError("code cannot be made of text");
  };
  for (const fn of [function () {}, function* () {}, async function () {}]) {
    const proto = Object.getPrototypeOf(fn);
    define(proto, "constructor", { value: refuse });
  }
  globalThis.Function = globalThis.eval = refuse;
  for (const name of ["ArrayBuffer", "SharedArrayBuffer", "DataView", "Atomics", "Int8Array", "Uint8Array",
    "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array",
    "BigInt64Array", "BigUint64Array", "BigInt", "Proxy", "WeakRef", "FinalizationRegistry"]) {
    delete globalThis[name];
  }
  globalThis.console = { log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing };
})
