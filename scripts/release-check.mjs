// npm run release:check: everything that must hold before a release. Leaves the tarball that was checked, the
// one to publish, in .cache/release.
import { readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { endGate, runGate } from './lib/gate.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { packTarball } from './lib/pack.mjs'
import { inProject, manifest, readJson } from './lib/project.mjs'
import { repositoryProblems, tarballProblems, versionProblems } from './lib/release-rules.mjs'
import { run } from './lib/run.mjs'
import { filesIn, unpack } from './lib/unpack.mjs'

requireNode()
await installDependencies()

/** The content to be published. All checks below run against it. */
let releaseTarball = ''

const rows = await runGate([
  { name: 'clean tree', check: cleanTree },
  {
    name: 'repository',
    check: () => verdict(repositoryProblems(manifest(), process.env.GITHUB_REPOSITORY)),
  },
  { name: 'version and changelog', check: version },
  { name: 'build from nothing', check: () => runScript('build.mjs') },
  { name: 'tarball', needs: 'build from nothing', check: tarball },
  { name: 'npm run check', needs: 'tarball', check: () => runWithTarball('check.mjs') },
  { name: 'consumers', needs: 'tarball', check: () => runWithTarball('consumers.mjs') },
  // The checks write files that are committed, such as docs/compatibility.md, which is in the tarball, too.
  { name: 'tree still clean', check: cleanTree },
])
endGate(rows)

async function cleanTree() {
  const { code, output } = await run('git', ['status', '--porcelain'], { quiet: true })
  if (code !== 0) return { code, output }
  return verdict(output.trim() === '' ? [] : [`Not committed:\n${output}`])
}

function version() {
  const tag = process.env.GITHUB_REF_TYPE === 'tag' ? process.env.GITHUB_REF_NAME : undefined
  const changelog = readFileSync(inProject('CHANGELOG.md'), 'utf8').replaceAll('\r\n', '\n')
  return verdict(
    versionProblems({
      version: manifest().version,
      locked: readJson('package-lock.json').version,
      changelog,
      tag,
    }),
  )
}

async function tarball() {
  const folder = inProject('.cache/release')
  rmSync(folder, { recursive: true, force: true })
  const file = await packTarball(folder)
  releaseTarball = file
  const unpacked = await unpack(file)
  const files = filesIn(unpacked)
  rmSync(path.dirname(unpacked), { recursive: true })
  const { size } = statSync(file)
  for (const entry of files) console.log(`${String(entry.size).padStart(8)}  ${entry.path}`)
  console.log(`${path.basename(file)}: ${size} bytes, ${files.length} files`)
  return verdict(tarballProblems({ size, files, exports: manifest().exports }))
}

function runScript(name, env = process.env) {
  return run(process.execPath, [inProject('scripts', name)], { quiet: true, env })
}

function runWithTarball(name) {
  return runScript(name, { ...process.env, OFFSTAGE_TARBALL: releaseTarball })
}

async function verdict(problems) {
  return { code: problems.length === 0 ? 0 : 1, output: problems.join('\n') }
}
