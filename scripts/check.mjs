// npm run check [-- --skip-unit]: the one gate. Everything runs; a table says what failed.
import { mkdirSync, rmSync } from 'node:fs'
import { runGate } from './lib/gate.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { packTarball } from './lib/pack.mjs'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'

requireNode()
await installDependencies()

const packed = inProject('.cache/check')
let tarball = ''

const checks = [
  { name: 'format', check: () => quiet('oxfmt', ['--check', '.']) },
  { name: 'lint', check: () => quiet('oxlint', ['--format=unix']) },
  { name: 'types', check: types },
  { name: 'unit tests', check: () => quiet('vitest', ['run']), skip: '--skip-unit' },
  { name: 'unused code', check: () => quiet('knip', []) },
  { name: 'build', check: build },
  { name: 'size', check: () => script('size.mjs') },
  { name: 'public API', check: () => script('api.mjs', '--check') },
  { name: 'bundled packages', check: () => script('bundled.mjs', '--check') },
  { name: 'links', check: links },
  { name: 'package', check: () => quiet('publint', ['run', tarball, '--strict']) },
  { name: 'package types', check: packageTypes },
]

await runGate(checks.filter(({ skip }) => !skip || !process.argv.includes(skip)))

async function types() {
  const projects = await Promise.all(
    ['.', 'test', 'demo'].map((project) => quiet('typescript', ['--noEmit', '-p', project], 'tsc')),
  )
  return {
    code: Math.max(...projects.map(({ code }) => code)),
    output: projects.map(({ output }) => output).join(''),
  }
}

async function build() {
  const result = await script('build.mjs', '--if-needed')
  if (result.code !== 0) return result
  rmSync(packed, { recursive: true, force: true })
  mkdirSync(packed, { recursive: true })
  tarball = await packTarball(packed)
  return result
}

/** In the repository, and in the package: there, every link must lead to a file that it has. */
async function links() {
  const inRepository = await script('links.mjs')
  return inRepository.code === 0 ? script('links.mjs', tarball) : inRepository
}

/** In every resolution; ESM only, which CommonJS has to import. Scripts and JSON have no types. */
function packageTypes() {
  const untyped = ['offstage.global.js', 'package.json']
  const args = [
    tarball,
    '--ignore-rules',
    'cjs-resolves-to-esm',
    '--no-emoji',
    '--exclude-entrypoints',
    ...untyped,
  ]
  return quiet('@arethetypeswrong/cli', args, 'attw')
}

function quiet(packageName, args, command = packageName) {
  return bin(packageName, args, { command, quiet: true })
}

function script(name, ...args) {
  return run(process.execPath, [inProject('scripts', name), ...args], { quiet: true })
}
