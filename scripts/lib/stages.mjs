import { ownFolder } from './own-folder.mjs'
import { tarballToTest } from './pack.mjs'
import { inProject } from './project.mjs'
import { bin, run } from './run.mjs'
import { browserTests, unitTests } from './test-runners.mjs'

/** Set by `pack`. */
let tarball = ''

/**
 * All that a pull request must pass. Tests take every core that they get, one stage after the other; what has one
 * thread, and is mostly waiting for a disk or for itself, runs beside them.
 *
 * @type {readonly import('./gate.mjs').Check[]}
 */
export const stages = [
  { name: 'build', lane: 'tests', check: () => runScript('build.mjs', '--if-needed') },
  { name: 'unit tests', lane: 'tests', check: () => unitTests() },
  // An older dist must not pass for the present sources.
  { name: 'browser tests', lane: 'tests', needs: 'build', check: () => browserTests() },

  { name: 'format', lane: 'checks', check: () => runQuietly('oxfmt', ['--check', '.']) },
  // The build has checked the types of `src`.
  { name: 'types', lane: 'checks', needs: 'build', check: checkTypes },
  {
    name: 'lint',
    lane: 'checks',
    needs: 'build',
    check: () => runQuietly('oxlint', ['--format=unix']),
  },
  { name: 'unused code', lane: 'checks', needs: 'build', check: () => runQuietly('knip', []) },
  {
    name: 'snippets',
    lane: 'checks',
    needs: 'build',
    check: () => runScript('readme-snippets.mjs'),
  },
  { name: 'size', lane: 'checks', needs: 'build', check: () => runScript('size.mjs') },
  {
    name: 'public API',
    lane: 'checks',
    needs: 'build',
    check: () => runScript('api.mjs', '--check'),
  },
  {
    name: 'bundled packages',
    lane: 'checks',
    needs: 'build',
    check: () => runScript('bundled.mjs', '--check'),
  },
  { name: 'quality page', lane: 'checks', check: () => runScript('quality.mjs', '--check') },
  { name: 'links', lane: 'checks', check: () => runScript('links.mjs') },
  { name: 'packing', lane: 'checks', needs: 'build', check: pack },
  // There, every link must lead to a file that the package has.
  {
    name: "package's links",
    lane: 'checks',
    needs: 'packing',
    check: () => runScript('links.mjs', tarball),
  },
  {
    name: 'package',
    lane: 'checks',
    needs: 'packing',
    check: () => runQuietly('publint', ['run', tarball, '--strict']),
  },
  { name: 'package types', lane: 'checks', needs: 'packing', check: checkPackageTypes },
]

async function checkTypes() {
  const projects = await Promise.all(
    ['test', 'demo'].map((project) => runQuietly('typescript', ['--noEmit', '-p', project], 'tsc')),
  )
  return {
    code: Math.max(...projects.map(({ code }) => code)),
    output: projects.map(({ output }) => output).join(''),
  }
}

async function pack() {
  tarball = await tarballToTest(ownFolder('check'))
  return { code: 0 }
}

/** In every resolution; ESM only, which CommonJS has to import. Scripts and JSON have no types. */
function checkPackageTypes() {
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
  return runQuietly('@arethetypeswrong/cli', args, 'attw')
}

function runQuietly(packageName, args, command = packageName) {
  return bin(packageName, args, { command, quiet: true })
}

function runScript(name, ...args) {
  return run(process.execPath, [inProject('scripts', name), ...args], { quiet: true })
}
