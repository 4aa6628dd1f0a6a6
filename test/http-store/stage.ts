import { fork, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../../src/protocol/fact.ts'
import { STORE_SCHEMA } from '../../src/http-store/server/index.ts'
import { openSqlite } from './databases.ts'
import { poolOf, startPostgres } from './postgres.mjs'
import { serveStore } from './serve-store.ts'

/** A fault of the servers or the database while devices work. */
export type Blow = 'kill a server' | 'kill connections' | 'stop the database' | 'crash the database'

/** Two servers of the HTTP store on one database. */
export interface Stage {
  /** Addresses of the servers. They stay the same when a server is started again. */
  readonly servers: readonly string[]
  /** Address of the store on each server. */
  readonly path: string
  rows(tenant: string): Promise<readonly Row[]>
  /** Resolves when everything is up again. */
  strike(blow: Blow, random: { below(limit: number): number }): Promise<void>
  /** Servers that ended by themselves since it was last asked, with the last words of each. */
  takeCrashes(): string[]
  close(): Promise<void>
}

export interface StageOptions {
  /** Hours by which the clock of each server is wrong. */
  readonly clocks: readonly number[]
  /** The servers write a second copy of an append again. Trials must find that. */
  readonly plantsRepeats?: boolean
}

const HOUR_MS = 3_600_000
const DOWN_MS = 400

/** Both servers in processes of their own, on a PostgreSQL that can be stopped. */
export async function postgresStage(options: StageOptions): Promise<Stage> {
  const database = await startPostgres(['fsync=off', 'max_connections=50'])
  const pool = poolOf(database.port, { max: 2 })
  // The database is stopped on purpose.
  pool.on('error', () => undefined)
  for (const statement of STORE_SCHEMA) await pool.query(statement)
  const crashes: string[] = []
  const servers = await Promise.all(
    options.clocks.map((hours) =>
      ServerProcess.start({
        databasePort: database.port,
        clockMs: hours * HOUR_MS,
        plantsRepeats: options.plantsRepeats ?? false,
        onCrash: (words) => crashes.push(words),
      }),
    ),
  )
  const backends = async (): Promise<number[]> => {
    const { rows } = await pool.query(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    )
    return rows.map(({ pid }: { pid: number }) => pid)
  }
  const strike: Stage['strike'] = async (blow, random) => {
    switch (blow) {
      case 'kill a server':
        await servers[random.below(servers.length)]?.restart(random.below(DOWN_MS))
        return
      case 'kill connections':
        await pool.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
        )
        return
      case 'stop the database':
        await database.restart(random.below(2) ? 'SIGINT' : 'SIGQUIT')
        return
      case 'crash the database': {
        // PostgreSQL ends all other connections, and recovers.
        const pids = await backends()
        const victim = pids[random.below(pids.length)]
        if (victim !== undefined) process.kill(victim, 'SIGKILL')
        return
      }
      default:
        blow satisfies never
    }
  }
  return {
    servers: servers.map(({ url }) => url),
    path: '/history',
    rows: async (tenant) => {
      const { rows } = await untilAnswered(() =>
        pool.query('SELECT data FROM offstage_rows WHERE tenant = $1 ORDER BY seq', [tenant]),
      )
      return rows.map(({ data }: { data: string }) => JSON.parse(data) as Row)
    },
    // Two connections of the pool may be broken, and the database may be recovering.
    strike: (blow, random) => untilAnswered(() => strike(blow, random)),
    takeCrashes: () => crashes.splice(0),
    close: async () => {
      await Promise.all(servers.map((server) => server.end()))
      await pool.end()
      await database.close()
    },
  }
}

/** Both servers in this process, on SQLite. Blows do nothing. */
export async function sqliteStage(): Promise<Stage> {
  const kept = await openSqlite()
  const servers = await Promise.all([serveStore(kept.database), serveStore(kept.database)])
  return {
    servers: servers.map(({ url }) => new URL(url).origin),
    path: '/history',
    rows: (tenant) =>
      kept.database.transaction(async (query) => {
        const rows = await query(
          'SELECT data FROM offstage_rows WHERE tenant = @tenant ORDER BY seq',
          { tenant },
        )
        return rows.map(({ data }) => JSON.parse(String(data)) as Row)
      }),
    strike: async () => undefined,
    takeCrashes: () => [],
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
      await kept.close()
    },
  }
}

interface ServerOptions {
  readonly databasePort: number
  readonly clockMs: number
  readonly plantsRepeats: boolean
  readonly onCrash: (words: string) => void
}

/** A server that is started again whenever it ends, on the same port. */
class ServerProcess {
  readonly #options: ServerOptions
  #process: ChildProcess | null = null
  #port = 0
  #isExpected = false

  static async start(options: ServerOptions): Promise<ServerProcess> {
    const server = new ServerProcess(options)
    await server.#start()
    return server
  }

  constructor(options: ServerOptions) {
    this.#options = options
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async restart(downMs: number): Promise<void> {
    await this.end()
    await sleep(downMs)
    await this.#start()
  }

  async end(): Promise<void> {
    this.#isExpected = true
    const running = this.#process
    const ended = new Promise((resolve) => running?.once('exit', resolve))
    if (running?.kill('SIGKILL')) await ended
  }

  async #start(): Promise<void> {
    const { onCrash, ...settings } = this.#options
    this.#isExpected = false
    const child = fork(
      path.join(import.meta.dirname, 'server-process.mjs'),
      [JSON.stringify({ ...settings, port: this.#port })],
      { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] },
    )
    this.#process = child
    let words = ''
    child.stderr?.on('data', (text) => (words = `${words}${text}`.slice(-2000)))
    child.once('exit', (code) => {
      if (this.#isExpected) return
      onCrash(`ended with ${code}: ${words}`)
      void this.#start()
    })
    const { port } = await new Promise<{ port: number }>((resolve, reject) => {
      child.once('message', (message) => resolve(message as { port: number }))
      child.once('exit', () => reject(new Error(`A server did not start: ${words}`)))
    })
    this.#port = port
  }
}

async function untilAnswered<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries > 100) throw error
      await sleep(100)
    }
  }
}
