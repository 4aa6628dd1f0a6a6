import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import path from 'node:path'
import { run } from '../../scripts/lib/run.mjs'
import { listen } from '../browser/support/listen.ts'
import { serveSite } from '../browser/support/site.ts'

export interface ServedApp {
  readonly url: string
  close(): Promise<void>
}

/** `vite` as on a developer's machine, without a cache of pre-bundled dependencies. */
export async function viteDev(folder: string): Promise<ServedApp> {
  const port = await freePort()
  const args = ['--host', '127.0.0.1', '--port', String(port), '--strictPort', '--force']
  const child = spawn(process.execPath, [tool(folder, 'vite/bin/vite.js'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (data) => (output += String(data)))
  child.stderr.on('data', (data) => (output += String(data)))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = `http://127.0.0.1:${port}/`
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`The Vite server ended:\n${output}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    url,
    async close() {
      child.kill()
      await ended
    },
  }
}

export async function viteBuild(folder: string): Promise<ServedApp> {
  await succeeds(folder, [tool(folder, 'vite/bin/vite.js'), 'build'])
  return staticFiles(path.join(folder, 'dist'))
}

export async function webpackBuild(folder: string): Promise<ServedApp> {
  await succeeds(folder, [tool(folder, 'webpack-cli/bin/cli.js'), '--mode', 'production'])
  return staticFiles(folder)
}

export async function staticFiles(folder: string): Promise<ServedApp> {
  const site = await serveSite({ folders: { '/': folder } })
  return { url: `${site.url}/`, close: site.close }
}

async function succeeds(folder: string, args: string[]): Promise<void> {
  const { code, output } = await run(process.execPath, args, { cwd: folder, quiet: true })
  if (code !== 0) throw new Error(`${args.join(' ')} failed:\n${output}`)
}

function tool(folder: string, file: string): string {
  return path.join(folder, 'node_modules', file)
}

async function freePort(): Promise<number> {
  const { url, close } = await listen(createServer())
  await close()
  return Number(new URL(url).port)
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}
