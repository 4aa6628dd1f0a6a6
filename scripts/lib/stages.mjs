import { ownFolder } from './own-folder.mjs'
import { tarballToTest } from './pack.mjs'
import { inProject } from './project.mjs'
import { bin, run } from './run.mjs'
import { browserTests, unitTests } from './test-runners.mjs'

/** Set by `packing`. */
let tarball = ''

/**
 * All that a pull request must pass. Tests take every core that they get, one stage after the other; what has one
 * thread, and is mostly waiting for a disk or for itself, runs beside them.
 *
 * @type {readonly import('./gate.mjs').Check[]}
 */
export const stages = [
  { name: 'build', lane: 'tests', check: () => script('build.mjs', '--if-needed') },
  { name: 'unit tests', lane: 'tests', check: () => unitTests() },
  // An older dist must not pass for the present sources.
  { name: 'browser tests', lane: 'tests', needs: 'build', check: () => browserTests() },

  { name: 'format', lane: 'checks', check: () => quiet('oxfmt', ['--check', '.']) },
  // The build has checked the types of `src`.
  { name: 'types', lane: 'checks', needs: 'build', check: types },
  { name: 'lint', lane: 'checks', needs: 'build', check: () => quiet('oxlint', ['--format=unix']) },
  { name: 'unused code', lane: 'checks', needs: 'build', check: () => quiet('knip', []) },
  { name: 'snippets', lane: 'checks', needs: 'build', check: () => script('readme-snippets.mjs') },
  { name: 'size', lane: 'checks', needs: 'build', check: () => script('size.mjs') },
  { name: 'public API', lane: 'checks', needs: 'build', check: () => script('api.mjs', '--check') },
  {
    name: 'bundled packages',
    lane: 'checks',
    needs: 'build',
    check: () => script('bundled.mjs', '--check'),
  },
  { name: 'quality page', lane: 'checks', check: () => script('quality.mjs', '--check') },
  { name: 'links', lane: 'checks', check: () => script('links.mjs') },
  { name: 'packing', lane: 'checks', needs: 'build', check: packing },
  // There, every link must lead to a file that the package has.
  {
    name: "package's links",
    lane: 'checks',
    needs: 'packing',
    check: () => script('links.mjs', tarball),
  },
  {
    name: 'package',
    lane: 'checks',
    needs: 'packing',
    check: () => quiet('publint', ['run', tarball, '--strict']),
  },
  { name: 'package types', lane: 'checks', needs: 'packing', check: packageTypes },
]

async function types() {
  const projects = await Promise.all(
    ['test', 'demo'].map((project) => quiet('typescript', ['--noEmit', '-p', project], 'tsc')),
  )
  return {
    code: Math.max(...projects.map(({ code }) => code)),
    output: projects.map(({ output }) => output).join(''),
  }
}

async function packing() {
  tarball = await tarballToTest(ownFolder('check'))
  return { code: 0 }
}

/** In every resolution; ESM only, which CommonJS has to import. Scripts and JSON have no types. */
function packageTypes() {
  const themes = ['graphite', 'paper', 'violet'].map((name) => `themes/${name}.css`)
  const untyped = ['offstage.global.js', 'package.json', 'agent.schema.json', ...themes]
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
