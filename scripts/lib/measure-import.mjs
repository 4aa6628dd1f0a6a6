// node --experimental-vm-modules measure-import.mjs <file>: prints the CPU time in microseconds that the modules of a
// built file take to run when it is imported, and that of a fixed piece of work.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script, SourceTextModule } from 'node:vm'

const modules = new Map()

// The worker listens when it starts.
Object.assign(globalThis, { addEventListener() {}, postMessage() {}, self: globalThis })
// Node loads its cryptography on first use.
crypto.randomUUID()

// Declarations that run once, as those of modules do.
const work = new Script(
  Array.from(
    { length: 10_000 },
    (_, at) => `const f${at} = (n) => n + ${at}, o${at} = { name: 'n', list: [${at}], f: f${at} }`,
  ).join('\n'),
)
const entry = moduleOf(path.resolve(process.argv[2]))
await entry.link((specifier, { identifier }) =>
  moduleOf(path.resolve(path.dirname(identifier), specifier)),
)
const reference = cpuOf(() => work.runInThisContext())
const cost = cpuOf(() => entry.evaluate())
// Rejects if a module has thrown.
await entry.evaluate()
console.log(JSON.stringify({ cost, reference }))
// The worker would wait for its page.
process.exit()

function moduleOf(identifier) {
  const cached = modules.get(identifier)
  if (cached) return cached
  const module = new SourceTextModule(readFileSync(identifier, 'utf8'), {
    identifier,
    initializeImportMeta: (meta) => Object.assign(meta, { url: pathToFileURL(identifier).href }),
  })
  modules.set(identifier, module)
  return module
}

function cpuOf(run) {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
