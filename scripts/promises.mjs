// npm run promises -- file …: the promises that the named test files or folders keep.
// npm run promises -- --touch [range]: the promises whose tests a change touches. `git diff` takes such a range; the
// default is HEAD, which is all that isn't committed.
// npm run promises -- --rename [range]: writes the new titles of tests that were only renamed into the ledger.
import { readFileSync, writeFileSync } from 'node:fs'
import { inProject } from './lib/project.mjs'
import { LEDGER, readLedger, touchedBy, withNewTitles } from './lib/promises.mjs'
import { run } from './lib/run.mjs'

const [first, ...rest] = process.argv.slice(2)
if (first === '--touch') await showTouched(rest[0] ?? 'HEAD')
else if (first === '--rename') await rename(rest[0] ?? 'HEAD')
else if (first) showKept([first, ...rest])
else console.log(`${readLedger().promises.length} promises`)

function showKept(files) {
  const { promises } = readLedger()
  for (const file of files) {
    console.log(file)
    for (const { id, promise, tests } of promises)
      if (tests.some((test) => test.file.startsWith(file))) console.log(`  ${id}  ${promise}`)
  }
}

async function showTouched(range) {
  const [before, after] = await sidesOf(range)
  const { promises } = readLedger((await fileAt(before, LEDGER)) ?? undefined)
  const touched = touchedBy(promises, await changesBetween(before, after))
  for (const { id, promise, file, title, change } of touched)
    console.log(`${id}  ${promise}\n  ${change}: ${file}: ${title}`)
  const ids = new Set(touched.map(({ id }) => id))
  console.log(`${ids.size} of ${promises.length} promises are touched`)
}

async function rename(range) {
  const { promises } = readLedger()
  const touched = touchedBy(promises, await changesBetween(...(await sidesOf(range))))
  const ledger = await fileAt(null, LEDGER)
  writeFileSync(inProject(LEDGER), withNewTitles(ledger, promises, touched))
  for (const { id, newTitle, change } of touched)
    if (change === 'renamed') console.log(id, newTitle)
}

async function changesBetween(before, after) {
  const sides = after ? [before, after] : [before]
  const names = await git('diff', '--name-only', '--no-renames', ...sides, '--', 'test')
  const changes = names
    .split('\n')
    .filter(Boolean)
    .map(async (file) => ({
      file,
      before: await fileAt(before, file),
      after: await fileAt(after, file),
    }))
  return Promise.all(changes)
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
