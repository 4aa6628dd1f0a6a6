import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { inProject } from '../../scripts/lib/project.mjs'
import { listen } from '../browser/support/listen.ts'
import { tinyGguf } from '../browser/support/tiny-gguf.ts'

export interface LlamaServer {
  readonly url: string
  /** Whether its one slot is generating. */
  isBusy(): Promise<boolean>
  close(): Promise<void>
}

export const CONTEXT = 2048

/** llama.cpp's own server with a model of 2.5 MB and one slot. */
export async function startLlamaServer(): Promise<LlamaServer> {
  const program = process.env['OFFSTAGE_LLAMA_SERVER']
  if (!program) throw new Error('Run this with: npm run test:llama')
  const model = inProject('.cache/llama/tiny.gguf')
  mkdirSync(path.dirname(model), { recursive: true })
  writeFileSync(model, tinyGguf())
  const port = await freePort()
  const serving = [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--slots',
    '--no-webui',
    '--jinja',
  ]
  const sizing = ['-c', String(CONTEXT), '-np', '1', '-t', '2', '-ngl', '0']
  const child = spawn(program, ['-m', model, ...serving, ...sizing], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => (log = (log + String(data)).slice(-4_000)))
  const url = `http://127.0.0.1:${port}`
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null) throw new Error(`llama-server ended:\n${log}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    url,
    async isBusy() {
      const slots = (await (await fetch(`${url}/slots`)).json()) as { is_processing: boolean }[]
      return slots.some((slot) => slot.is_processing)
    },
    async close() {
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill()
      await ended
    },
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const { url, close } = await listen(createServer())
  await close()
  return Number(new URL(url).port)
}
