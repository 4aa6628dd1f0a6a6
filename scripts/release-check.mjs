// npm run release:check: everything that must hold before a release. Leaves the tarball that was checked, the
// one to publish, in .cache/release.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { runGate } from './lib/gate.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { pack } from './lib/pack.mjs'
import { inProject, manifest, readJson } from './lib/project.mjs'
import { repositoryProblems, tarballProblems, versionProblems } from './lib/release-rules.mjs'
import { npm, run } from './lib/run.mjs'

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
  const packed = await pack(folder)
  for (const file of packed.files) console.log(`${String(file.size).padStart(8)}  ${file.path}`)
  console.log(`${packed.tarball}: ${packed.size} bytes, ${packed.files.length} files`)
  return verdict(tarballProblems({ ...packed, exports: manifest().exports }))
}

function script(name) {
  return run(process.execPath, [inProject('scripts', name)], { quiet: true })
}

async function verdict(problems) {
  return { code: problems.length === 0 ? 0 : 1, output: problems.join('\n') }
}
