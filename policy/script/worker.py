# The program of a worker: reads calls as lines of JSON from its standard input,
# evaluates the policy script for each, and answers in lines on its standard
# output. What the script reads is asked for over the same lines.
import base64, builtins, errno, io, json, os, resource, stat


def main():
    calls = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in 0, 1, 2:
        os.dup2(null, fd)
    os.close(null)
    memory = 512 << 20
    for what, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 32),
    ):
        resource.setrlimit(what, (limit, limit))

    loads, dumps = json.loads, json.dumps
    b64decode, b64encode = base64.b64decode, base64.b64encode
    fsencode = os.fsencode

    def say(message):
        answers.write(dumps(message).encode("ascii") + b"\n")

    def hear():
        line = calls.readline()
        if not line:
            os._exit(0)
        return loads(line)

    def ask(op, path):
        say({"op": op, "path": b64encode(fsencode(path)).decode("ascii")})
        answer = hear()
        number = answer.get("errno")
        if number:
            raise OSError(number, os.strerror(number), os.fspath(path))
        return answer

    confine(ask, b64decode)

    program = problem = None
    try:
        program = compile(base64.b64decode(hear()["source"]), "policy", "exec", dont_inherit=True)
    except SyntaxError as e:
        problem = {"syntax": "line %s: %s" % (e.lineno, e.msg)}
    except (ValueError, RecursionError, MemoryError) as e:
        problem = {"syntax": str(e) or type(e).__name__}
    while True:
        call = hear()
        say(problem or evaluate(program, call))


def evaluate(program, call):
    try:
        names = {"__name__": "policy", "__builtins__": builtins}
        exec(program, names)
        defined = [h for h in ("pre_command", "pre_vfs", "pre_session") if h in names]
        hook = call["hook"]
        if hook not in defined:
            return {"defined": defined, "kind": "none"}
        if not callable(names[hook]):
            return {"error": hook + " is no function"}
        return {"defined": defined, **described(names[hook](call["input"]))}
    except BaseException as e:
        return {"error": worded(e)}


def described(v):
    if v is None:
        return {"kind": "none"}
    if type(v) is str:
        return {"kind": "text", "text": v[:2000]}
    if type(v) is dict:
        if len(v) != 1:
            return {"kind": "absurd", "text": "a dict of %d entries" % len(v)}
        [(key, reason)] = v.items()
        if type(key) is str and type(reason) is str:
            return {"kind": "mapping", "key": key[:100], "text": reason[:2000]}
        return {"kind": "absurd", "text": "a dict of %s to %s" % (type(key).__name__[:100], type(reason).__name__[:100])}
    return {"kind": "absurd", "text": "a value of type " + type(v).__name__[:100]}


def worded(e):
    try:
        text = str(e)[:1000]
    except BaseException:
        text = ""
    name = type(e).__name__[:100]
    if text:
        name += ": " + text
    line, at = 0, e.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == "policy":
            line = at.tb_lineno
        at = at.tb_next
    return "line %d: %s" % (line, name) if line else name


# confine puts the workspace in the place of the host's files: read only.
def confine(ask, b64decode):
    def gate_open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
        if isinstance(file, int):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        if not isinstance(mode, str) or set(mode) - set("rbtU"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), os.fspath(file))
        raw = io.BytesIO(b64decode(ask("read", file)["data"]))
        if "b" in mode:
            return raw
        return io.TextIOWrapper(raw, encoding if encoding not in (None, "locale") else "utf-8", errors, newline)

    def gate_stat(path, *, dir_fd=None, follow_symlinks=True):
        if isinstance(path, int):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        s = ask("stat", path)
        mode = stat.S_IFDIR | 0o555 if s["dir"] else stat.S_IFREG | 0o444
        return os.stat_result((mode, 0, 0, 1, 0, 0, s["size"], 0, 0, 0))

    def gate_listdir(path="."):
        names = ask("list", "/" if path in (None, ".") else path)["names"]
        names = [b64decode(n) for n in names]
        return names if isinstance(path, bytes) else [os.fsdecode(n) for n in names]

    def gate_access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
        try:
            gate_stat(path)
        except OSError:
            return False
        return not mode & os.W_OK

    class Entry:
        def __init__(self, parent, name):
            self.name, self.path = name, os.path.join(parent, name)

        def __fspath__(self):
            return self.path

        def stat(self, *, follow_symlinks=True):
            return gate_stat(self.path)

        def is_dir(self, *, follow_symlinks=True):
            return os.path.isdir(self.path)

        def is_file(self, *, follow_symlinks=True):
            return os.path.isfile(self.path)

        def is_symlink(self):
            return False

    class Entries:
        def __init__(self, path):
            self.entries = iter([Entry(path, n) for n in gate_listdir(path)])

        def __iter__(self):
            return self

        def __next__(self):
            return next(self.entries)

        def __enter__(self):
            return self

        def __exit__(self, *args):
            self.close()

        def close(self):
            self.entries = iter(())

    # As the functions in whose place it is, and unlike a function of Python, it
    # becomes no method when a class takes it in.
    class Builtin:
        def __init__(self, fn):
            self.fn = fn

        def __call__(self, *args, **kwargs):
            return self.fn(*args, **kwargs)

    builtins.open = io.open = Builtin(gate_open)
    os.stat = os.lstat = Builtin(gate_stat)
    os.listdir, os.access = Builtin(gate_listdir), Builtin(gate_access)
    os.scandir = Builtin(lambda path=".": Entries(os.fspath(path)))


main()
