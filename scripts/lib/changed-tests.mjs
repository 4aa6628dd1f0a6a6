import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fail } from './install.mjs'
import { inProject, manifest } from './project.mjs'
import { run } from './run.mjs'

/** A change of these may concern every test. */
const ALL =
  /^(?:package-lock\.json|tsconfig\.json|(?:vitest|playwright)\.config\.ts|test\/setup\/.*)$/
const UNIT = /^test\/(?:unit|recorded)\/.*\.test\.ts$/
const BROWSER = /^test\/browser\/[^/]+\.spec\.ts$/
const SOURCES = /^(?:src|test|scripts)\/.*\.(?:ts|tsx|js|jsx|mjs)$/

/** Every agent loads these, so their changes concern every browser test; of those, a core is run. */
const ALWAYS_LOADED = ['src/index.ts', 'src/worker/main.ts']
const CORE = ['bad-input.', 'chat.', 'consent.', 'reload.', 'tabs.', 'transport.']

/** Types are gone when a test runs. */
const TYPES = /^(?:import|export) type [^'"]*?from '[^']+'/gm
const QUOTED = /(['"`])([^'"`\s]+)\1/g

/**
 * The tests that differences to a commit concern, among them those that are not committed.
 *
 * @param {string} commit
 */
export async function changedTests(commit) {
  const changed = [
    ...(await git('diff', '--name-only', '-z', '--merge-base', commit)),
    ...(await git('ls-files', '-z', '--others', '--exclude-standard')),
  ]
  const files = await git('ls-files', '-z', '--cached', '--others', '--exclude-standard')
  const sources = files.filter((file) => SOURCES.test(file) && existsSync(inProject(file)))
  const texts = sources.map((file) => [file, readFileSync(inProject(file), 'utf8')])
  return { files: changed, ...concernedTests(changed, new Map(texts), entriesOf(manifest())) }
}

async function git(...args) {
  const { code, stdout, output } = await run('git', args, { quiet: true })
  if (code !== 0) fail(`git ${args.join(' ')} failed:\n${output}`)
  return stdout.split('\0').filter(Boolean)
}

/** By `dist/chat.js` and by `offstage/chat`, the source of the chat. Tests of every kind name the main entry. */
function entriesOf({ name, exports }) {
  const typed = Object.entries(exports).filter(([subpath, { types }]) => types && subpath !== '.')
  return Object.fromEntries(
    typed.flatMap(([subpath, { types, default: built }]) => {
      const source = types.replace('./dist/types/', 'src/').replace(/\.d\.ts$/, '.ts')
      return [built.slice(2), `${name}${subpath.slice(1)}`].map((entry) => [entry, source])
    }),
  )
}

/**
 * The tests that a change concerns: those that import it, through other files or not, or that hold its path in quotes.
 * Browser tests load `src/` from `dist`, so they are concerned when they name an entry that imports the change, such
 * as `dist/chat.js`, and when they are named after its folder: `chat-cards.spec.ts` after `src/ui/chat/`.
 *
 * @param {readonly string[]} changed
 * @param {ReadonlyMap<string, string>} sources text of each source and test, by path
 * @param {Readonly<Record<string, string>>} entries source of each built entry, by what tests name it
 */
export function concernedTests(changed, sources, entries) {
  const isGeneral = changed.some((file) => ALL.test(file))
  const concerned = isGeneral
    ? new Set(sources.keys())
    : readersOf(changed.flatMap(withFolders), sources)
  const built = Object.keys(entries).filter((entry) => concerned.has(entries[entry]))
  const isLoaded = ALWAYS_LOADED.some((file) => concerned.has(file))
  const folders = changed.flatMap((file) =>
    file.split('/').slice(1, file.startsWith('src/') ? 3 : 0),
  )
  const prefixes = [
    ...folders.flatMap((name) => [`${name}.`, `${name}-`]),
    ...(isLoaded ? CORE : []),
  ]
  const isNamed = (file) => prefixes.some((prefix) => file.startsWith(`test/browser/${prefix}`))
  const specs = [...concerned, ...readersOf(built, sources), ...[...sources.keys()].filter(isNamed)]
  return {
    unit: [...concerned].filter((file) => UNIT.test(file)).toSorted(),
    browser: [...new Set(specs)].filter((file) => BROWSER.test(file)).toSorted(),
  }
}

/** The files that name one of some files, or name one that does. */
function readersOf(files, sources) {
  const readers = new Map()
  for (const [file, text] of sources)
    for (const named of namedIn(file, text))
      readers.set(named, [...(readers.get(named) ?? []), file])
  const found = new Set()
  const queue = [...files]
  while (queue.length > 0) {
    const file = queue.pop()
    if (found.has(file)) continue
    found.add(file)
    queue.push(...(readers.get(file) ?? []))
  }
  return found
}

/** A file with its folders, since a test may name a folder and read what it holds. Any word may be `src` or `test`. */
function withFolders(file) {
  const folder = path.posix.dirname(file)
  return ['.', 'src', 'test'].includes(folder) ? [file] : [file, ...withFolders(folder)]
}

/** Paths within the project that a file holds in quotes: of a template, what comes before its second value. */
function namedIn(file, text) {
  const literals = [...text.replaceAll(TYPES, '').matchAll(QUOTED)].map(([, , literal]) => literal)
  return literals.map((literal) => {
    const name = literal.replace(/^(?:\$\{\w+\})?\/?/, '').replace(/\/?(?:\$\{.*)?$/, '')
    return /^\.\.?\//.test(name) ? path.posix.join(path.posix.dirname(file), name) : name
  })
}
