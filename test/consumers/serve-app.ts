import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { run } from '../../scripts/lib/run.mjs'
import { listen } from '../browser/support/listen.ts'
import { serveSite } from '../browser/support/site.ts'

export interface ServedApp {
  readonly url: string
  /** The bundler's output. */
  output(): string
  close(): Promise<void>
}

/** A server of the builder's own, as on a developer's machine. It gets its port as an argument, and as `PORT`. */
export async function startServer(
  folder: string,
  args: (port: string) => readonly string[],
): Promise<ServedApp> {
  const port = await freePort()
  const child = spawn(process.execPath, [...args(String(port))], {
    cwd: folder,
    env: { ...quietEnv(), PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (data) => (output += String(data)))
  child.stderr.on('data', (data) => (output += String(data)))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = `http://127.0.0.1:${port}/`
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`The server ended:\n${output}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    url,
    output: () => output,
    async close() {
      child.kill()
      await ended
    },
  }
}

/** Runs a script of the app's folder, with its arguments, to its end; resolves to what it printed. */
export async function build(folder: string, args: readonly string[]): Promise<string> {
  const { code, output } = await run(process.execPath, args, {
    cwd: folder,
    env: quietEnv(),
    quiet: true,
  })
  if (code !== 0) throw new Error(`${args.join(' ')} failed:\n${output}`)
  return output
}

/** Serves a folder of the app; `script` is what its page loads where it has no page of its own. */
export async function serveFolder(
  folder: string,
  options: { readonly script?: string; readonly output?: string } = {},
): Promise<ServedApp> {
  const site = await serveSite({ folders: { '/': folder } })
  site.add('/favicon.ico', { body: '' })
  if (options.script) site.add('/', { body: pageWith(options.script), type: 'text/html' })
  return { url: `${site.url}/`, output: () => options.output ?? '', close: site.close }
}

/** A page without inline scripts. A module, unless it is said how else the script is loaded. */
export function pageWith(...scripts: readonly string[]): string {
  const elements = scripts.map((script) =>
    script.startsWith('<') ? script : `<script type="module" src="${script}"></script>`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Shop</title><body>${elements.join('')}</body></html>`
}

function quietEnv(): NodeJS.ProcessEnv {
  // Builders measure and report otherwise, and colour what is read here.
  return {
    ...process.env,
    // A bundler that ran in this process may have left one.
    NODE_ENV: undefined,
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    NEXT_TELEMETRY_DISABLED: '1',
  }
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
