import { existsSync } from 'node:fs'
import { inProject, readJson } from './project.mjs'
import { npm, run } from './run.mjs'

/** Refuses Node versions that the tools don't run on, in words instead of a stack trace. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major > 22) return
  fail(`Node ${process.versions.node} is not enough: Node 20.19, 22.13 or a later one is needed.`)
}

/** `npm ci` unless node_modules already holds what the lockfile says. */
export async function installDependencies() {
  if (isInstalled()) return
  console.log('Installing the development dependencies into node_modules (npm ci) …')
  const { code } = await npm(['ci', '--no-audit', '--no-fund'])
  if (code !== 0) fail('npm ci failed; its message is above.')
}

/** Installs what is missing and builds. Ends the process where that fails: an older build says nothing. */
export async function prepareBuild(option = '--if-needed') {
  requireNode()
  await installDependencies()
  const { code } = await run(process.execPath, [inProject('scripts/build.mjs'), option])
  if (code !== 0) process.exit(code)
}

/** npm leaves a copy of the lockfile in node_modules: the tree is fresh when both say the same. */
function isInstalled() {
  const copy = 'node_modules/.package-lock.json'
  if (!existsSync(inProject(copy))) return false
  const installed = readJson(copy).packages
  return Object.entries(readJson('package-lock.json').packages).every(
    ([folder, { version, optional }]) =>
      folder === '' || optional || installed[folder]?.version === version,
  )
}

export function fail(message) {
  console.error(`\n${message}`)
  process.exit(1)
}
