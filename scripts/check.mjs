// npm run check [-- --skip-unit]: the one gate. Everything runs; a table says what failed.
import { mkdirSync, rmSync } from 'node:fs'
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
  { name: 'package', check: () => quiet('publint', ['run', tarball, '--strict']) },
  { name: 'package types', check: packageTypes },
]

const rows = []
for (const { name, check, skip } of checks) {
  if (skip && process.argv.includes(skip)) continue
  const started = performance.now()
  const { code, output } = await check()
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  rows.push({ name, ok: code === 0, seconds })
  if (code !== 0) console.error(`\n── ${name} failed\n${output.trim()}\n`)
}
for (const { name, ok, seconds } of rows) {
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(14)} ${seconds.padStart(5)} s`)
}
process.exit(rows.every(({ ok }) => ok) ? 0 : 1)

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
