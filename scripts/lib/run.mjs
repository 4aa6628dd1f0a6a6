import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { openAccount } from './cpu-time.mjs'
import { inProject, root } from './project.mjs'

/**
 * Runs a program to its end and resolves to `{ code, stdout, output }`. Its output is streamed
 * through unless `quiet`; then it is only collected (`output` holds stderr too).
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions & { quiet?: boolean }} [options]
 * @returns {Promise<{ code: number, stdout: string, output: string }>}
 */
export function run(command, args, { quiet = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit'
    const child = spawn(command, args, { cwd: root, stdio, ...options })
    child.once('exit', openAccount())
    let output = ''
    let stdout = ''
    child.stdout?.on('data', (data) => {
      stdout += data
      output += data
    })
    child.stderr?.on('data', (data) => (output += data))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, stdout, output }))
  })
}

/**
 * npm without a shell script in between where possible: Windows can't spawn `npm.cmd` directly.
 *
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions & { quiet?: boolean }} [options]
 */
export function npm(args, options = {}) {
  const cli = process.env.npm_execpath
  if (cli?.endsWith('npm-cli.js')) return run(process.execPath, [cli, ...args], options)
  if (process.platform !== 'win32') return run('npm', args, options)
  const bundled = path.join(path.dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js')
  if (existsSync(bundled)) return run(process.execPath, [bundled, ...args], options)
  return run('npm', args, { shell: true, ...options })
}

/** A development dependency's command, started with this Node and not through a `.cmd` file. */
export function bin(packageName, args, { command = packageName, ...options } = {}) {
  return run(process.execPath, [binFile(packageName, command), ...args], options)
}

function binFile(packageName, command) {
  const folder = inProject('node_modules', packageName)
  const { bin: bins } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = typeof bins === 'string' ? bins : bins[command]
  return path.join(folder, file)
}
