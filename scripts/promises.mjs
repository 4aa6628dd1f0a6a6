// npm run promises [-- file …]: what is promised in the documents and kept by no test, or what the named test files keep.
// npm run promises -- --touch [range]: the promises whose tests the change touches, as `git diff` takes the range (default:
// HEAD, all that isn't committed).
import { readFileSync } from 'node:fs'
import { inProject } from './lib/project.mjs'
import { LEDGER, readLedger, touchedBy } from './lib/promises.mjs'
import { run } from './lib/run.mjs'

const [first, ...others] = process.argv.slice(2)
if (first === '--touch') await showTouched(others[0] ?? 'HEAD')
else if (first) showKept([first, ...others])
else showMissing()

function showMissing() {
  const { promises } = readLedger()
  const missing = promises.filter((one) => one.missing)
  for (const { id, promise, document } of missing) console.log(`${id}  ${promise} (${document})`)
  console.log(`${promises.length} promises, ${missing.length} of them without a test`)
}

function showKept(files) {
  const { promises } = readLedger()
  for (const file of files) {
    console.log(file)
    for (const { id, promise, tests } of promises)
      if (tests.some((test) => test.file === file)) console.log(`  ${id}  ${promise}`)
  }
}

async function showTouched(range) {
  const [before, after] = await sidesOf(range)
  const sides = after ? [before, after] : [before]
  const files = (await git('diff', '--name-only', '--no-renames', ...sides, '--', 'test')).split(
    '\n',
  )
  const changes = await Promise.all(
    files.filter(Boolean).map(async (file) => ({
      file,
      before: await fileAt(before, file),
      after: await fileAt(after, file),
    })),
  )
  const { promises } = readLedger((await fileAt(before, LEDGER)) ?? undefined)
  const touched = touchedBy(promises, changes)
  for (const { id, promise, file, title, how } of touched)
    console.log(`${id}  ${promise}\n  ${how}: ${file}: ${title}`)
  const ids = new Set(touched.map(({ id }) => id))
  console.log(`${ids.size} of ${promises.length} promises are touched`)
}

/** The two commits of a range; the second one is null where it is what lies in the folder. */
async function sidesOf(range) {
  const [, from, dots, to] = /^(.*?)(?:(\.{2,3})(.*))?$/.exec(range)
  if (!dots) return [from, null]
  const before = dots === '..' ? from : (await git('merge-base', from, to || 'HEAD')).trim()
  return [before, to || 'HEAD']
}

/** Null where there is no such file. */
async function fileAt(commit, file) {
  if (commit !== null) return git('show', `${commit}:${file}`).catch(() => null)
  try {
    return readFileSync(inProject(file), 'utf8')
  } catch {
    return null
  }
}

async function git(...args) {
  const { code, stdout, output } = await run('git', args, { quiet: true })
  if (code !== 0) throw new Error(output)
  return stdout
}
