// npm run check [-- --skip-unit]: the one gate. Everything runs; a table says what failed.
import { runGate } from './lib/gate.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { ownFolder } from './lib/own-folder.mjs'
import { tarballToTest } from './lib/pack.mjs'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'

requireNode()
await installDependencies()

/** Set by `packing`. */
let tarball = ''

const checks = [
  // The first: the demo's types, and what is read of dist below, are those of the present sources.
  { name: 'build', check: () => script('build.mjs', '--if-needed') },
  { name: 'format', check: () => quiet('oxfmt', ['--check', '.']) },
  { name: 'lint', check: () => quiet('oxlint', ['--format=unix']) },
  { name: 'types', check: types },
  { name: 'unit tests', check: () => quiet('vitest', ['run']), skip: '--skip-unit' },
  { name: 'unused code', check: () => quiet('knip', []) },
  { name: 'size', check: () => script('size.mjs') },
  { name: 'public API', check: () => script('api.mjs', '--check') },
  { name: 'bundled packages', check: () => script('bundled.mjs', '--check') },
  { name: 'quality page', check: () => script('quality.mjs', '--check') },
  { name: 'links', check: () => script('links.mjs') },
  { name: 'packing', needs: 'build', check: packing },
  // There, every link must lead to a file that the package has.
  { name: "package's links", needs: 'packing', check: () => script('links.mjs', tarball) },
  {
    name: 'package',
    needs: 'packing',
    check: () => quiet('publint', ['run', tarball, '--strict']),
  },
  { name: 'package types', needs: 'packing', check: packageTypes },
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

async function packing() {
  tarball = await tarballToTest(ownFolder('check'))
  return { code: 0, output: '' }
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
