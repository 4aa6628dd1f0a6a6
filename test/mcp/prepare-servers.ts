import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { inProject } from '../../scripts/lib/project.mjs'
import { npm } from '../../scripts/lib/run.mjs'
import { alone } from '../apps/alone.ts'

const SOURCES = inProject('test/mcp')
const FOLDER = inProject('.cache/mcp')
const INSTALLED_FROM = ['package.json', 'package-lock.json']

/** What a test may look at and change in a server. */
export interface ServerState {
  /** What its tools did. */
  readonly log: string[]
  readonly requests: { readonly method: string; readonly headers: Record<string, string> }[]
  description: string
  extraTool: boolean
  token: string | undefined
  /** What it says of who gives tokens (RFC 9728), without a token. */
  protection: object | undefined
  /** Ends the stream of a `count` early (revisions with sessions, with an event store). */
  cutsStream: boolean
  cors: Record<string, string> | undefined
}

export interface TestServer {
  readonly state: ServerState
  readonly origin: string
  readonly url: string
  toolsChanged(): void
  close(): Promise<void>
}

export interface LegacyTestServer extends TestServer {
  forget(): void
  sessions(): number
}

export interface ServerOptions {
  readonly cors?: Record<string, string>
  readonly description?: string
  readonly token?: string
  /** Asks by the stream that belongs to no request. */
  readonly asksAside?: boolean
  readonly eventStore?: boolean
}

export interface OfficialServers {
  readonly GOOD_CORS: Record<string, string>
  startModern(options?: ServerOptions): Promise<TestServer>
  startLegacy(options?: ServerOptions): Promise<LegacyTestServer>
}

/** Installs the official SDKs outside the root, once, and loads the servers made with them. */
export async function officialServers(): Promise<OfficialServers> {
  await prepare()
  return (await import(
    /* @vite-ignore */ pathToFileURL(path.join(FOLDER, 'servers.mjs')).href
  )) as OfficialServers
}

/** The same of a module of the official packages. */
export async function officialModule(name: string): Promise<Record<string, unknown>> {
  await prepare()
  return (await import(/* @vite-ignore */ pathToFileURL(path.join(FOLDER, name)).href)) as Record<
    string,
    unknown
  >
}

let prepared: Promise<void> | undefined

function prepare(): Promise<void> {
  prepared ??= alone(path.join(made(FOLDER), 'preparing'), async () => {
    const hash = createHash('sha256')
    for (const name of INSTALLED_FROM) hash.update(readFileSync(path.join(SOURCES, name)))
    const from = hash.digest('hex')
    const marker = path.join(FOLDER, 'installed')
    if (!existsSync(marker) || readFileSync(marker, 'utf8') !== from) {
      for (const name of INSTALLED_FROM) cpSync(path.join(SOURCES, name), path.join(FOLDER, name))
      const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
      const { code, output } = await npm(args, { cwd: FOLDER, quiet: true })
      if (code !== 0) throw new Error(`The MCP servers can't be prepared:\n${output}`)
      writeFileSync(marker, from)
    }
    cpSync(path.join(SOURCES, 'src'), FOLDER, { recursive: true })
  })
  return prepared
}

function made(folder: string): string {
  mkdirSync(folder, { recursive: true })
  return folder
}
