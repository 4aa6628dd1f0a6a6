import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { inProject, root } from './project.mjs'

/**
 * Runs a program to its end and resolves to `{ code, output }`. Its output is streamed through
 * unless `quiet`; then it is only collected.
 */
export function run(command, args, { quiet = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit'
    const child = spawn(command, args, { cwd: root, stdio, ...options })
    let output = ''
    child.stdout?.on('data', (data) => (output += data))
    child.stderr?.on('data', (data) => (output += data))
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code: code ?? 1, signal, output }))
  })
}

/** npm without a shell script in between where possible: Windows can't spawn `npm.cmd` directly. */
export function npm(args, options = {}) {
  const cli = process.env.npm_execpath
  if (cli?.endsWith('npm-cli.js')) return run(process.execPath, [cli, ...args], options)
  if (process.platform !== 'win32') return run('npm', args, options)
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
