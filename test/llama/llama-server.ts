import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { inProject } from '../../scripts/lib/project.mjs'
import { listen } from '../browser/support/listen.ts'
import { tinyGguf } from '../browser/support/tiny-gguf.ts'

export interface LlamaServer {
  readonly url: string
  /** How many of its slots are generating. */
  busySlots(): Promise<number>
  close(): Promise<void>
}

export interface LlamaServerOptions {
  /** File of another chat template than the model's own. */
  readonly template?: string
  /** Requests that it answers at the same time. Default 1. */
  readonly slots?: number
  /** More arguments of the program. */
  readonly args?: readonly string[]
}

/** Tokens of each slot. */
export const CONTEXT = 2048

/** Tokens for chat templates that describe their tools at length. */
const LONG_CONTEXT = 16_384

/** llama.cpp's own server with a model of 2.5 MB. */
export async function startLlamaServer(options: LlamaServerOptions = {}): Promise<LlamaServer> {
  const { template, slots = 1, args = [] } = options
  const program = process.env['OFFSTAGE_LLAMA_SERVER']
  if (!program) throw new Error('Run this with: npm run test:llama')
  const port = await freePort()
  // Test files run side by side: each server has a file of its own.
  const model = inProject(`.cache/llama/tiny-${port}.gguf`)
  mkdirSync(path.dirname(model), { recursive: true })
  writeFileSync(model, tinyGguf())
  const serving = [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--slots',
    '--no-webui',
    '--jinja',
  ]
  const context = template === undefined ? CONTEXT * slots : LONG_CONTEXT
  const sizing = ['-c', String(context), '-np', String(slots), '-t', '2', '-ngl', '0']
  const templating = template === undefined ? [] : withTemplate(template)
  const given = ['-m', model, ...serving, ...sizing, ...templating, ...args]
  const child = spawn(program, given, { stdio: ['ignore', 'pipe', 'pipe'] })
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
    async busySlots() {
      const states = (await (await fetch(`${url}/slots`)).json()) as { is_processing: boolean }[]
      return states.filter((state) => state.is_processing).length
    },
    async close() {
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill()
      await ended
      rmSync(model)
    },
  }
}

/** Rendered as history, an assistant's message is continued only where a request says so. */
function withTemplate(file: string): string[] {
  const context = `llama.context_length=int:${LONG_CONTEXT}`
  const withRawText = ['-lv', '10']
  return [
    '--chat-template-file',
    file,
    '--no-prefill-assistant',
    '--override-kv',
    context,
    ...withRawText,
  ]
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
