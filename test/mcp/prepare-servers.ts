import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { inProject } from '../../scripts/lib/project.mjs'
import { installAside } from '../apps/install-aside.ts'

const SOURCES = inProject('test/mcp')
const FOLDER = inProject('.cache/mcp')

/** A server's state that tests may read and change. */
export interface ServerState {
  /** Calls of the server's tools. */
  readonly log: string[]
  readonly requests: { readonly method: string; readonly headers: Record<string, string> }[]
  description: string
  extraTool: boolean
  token: string | undefined
  /** Metadata about the authorization server (RFC 9728), returned without a token. */
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
  prepared ??= installAside(SOURCES, FOLDER)
  return prepared
}
