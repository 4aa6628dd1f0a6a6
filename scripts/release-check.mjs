// npm run release:check: everything that must hold before a release. Leaves the tarball that was checked, the
// one to publish, in .cache/release.
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { runGate } from './lib/gate.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { packTarball } from './lib/pack.mjs'
import { inProject, manifest, readJson } from './lib/project.mjs'
import { repositoryProblems, tarballProblems, versionProblems } from './lib/release-rules.mjs'
import { npm, run } from './lib/run.mjs'
import { filesIn, unpack } from './lib/unpack.mjs'

requireNode()
await installDependencies()

await runGate([
  { name: 'clean tree', check: cleanTree },
  {
    name: 'repository',
    check: () => verdict(repositoryProblems(manifest(), process.env.GITHUB_REPOSITORY)),
  },
  { name: 'version and changelog', check: version },
  { name: 'build from nothing', check: () => script('build.mjs') },
  { name: 'npm run check', check: () => script('check.mjs') },
  { name: 'tarball', check: tarball },
  { name: 'consumers', check: () => npm(['run', 'test:consumers'], { quiet: true }) },
])

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
  mkdirSync(folder, { recursive: true })
  const file = await packTarball(folder)
  const unpacked = await unpack(file)
  const files = filesIn(unpacked)
  rmSync(path.dirname(unpacked), { recursive: true })
  const { size } = statSync(file)
  for (const entry of files) console.log(`${String(entry.size).padStart(8)}  ${entry.path}`)
  console.log(`${path.basename(file)}: ${size} bytes, ${files.length} files`)
  return verdict(tarballProblems({ size, files, exports: manifest().exports }))
}

function script(name) {
  return run(process.execPath, [inProject('scripts', name)], { quiet: true })
}

async function verdict(problems) {
  return { code: problems.length === 0 ? 0 : 1, output: problems.join('\n') }
}
