import { execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

// A real PostgreSQL, for tests and benchmarks.

const exec = promisify(execFile)
const VERSIONS = '/usr/lib/postgresql'

/** Where PostgreSQL's programs are, as Debian's `postgresql` installs them; null: nowhere. */
function findPostgres() {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : []
  const folders = versions.map((version) => path.join(VERSIONS, version, 'bin'))
  return folders.findLast((folder) => existsSync(path.join(folder, 'postgres'))) ?? null
}

/** @type {string | null} Why tests of PostgreSQL are skipped; null: they aren't. */
export const NO_POSTGRES =
  findPostgres() === null ? 'PostgreSQL is not installed (apt-get install postgresql)' : null

/** PostgreSQL refuses to run as root. */
async function unprivileged() {
  if (process.getuid?.() !== 0) return {}
  const ids = await Promise.all(['-u', '-g'].map((which) => exec('id', [which, 'postgres'])))
  const [uid, gid] = ids.map(({ stdout }) => Number(stdout))
  return { uid, gid }
}

/** A pool of connections to the server. */
export function poolOf(port, options = {}) {
  const server = { host: '127.0.0.1', port, user: 'offstage', database: 'postgres' }
  return new pg.Pool({ ...server, ...options })
}

/** A server of the caller's own, on a free port of this machine. `settings` are its options: `fsync=off`. */
export async function startPostgres(settings = []) {
  const bin = findPostgres()
  if (bin === null) throw new Error(NO_POSTGRES ?? '')
  const folder = await mkdtemp(path.join(os.tmpdir(), 'offstage-postgres-'))
  const who = await unprivileged()
  if (who.uid !== undefined) await chown(folder, who.uid, who.gid)
  const as = { cwd: folder, ...who }
  const data = path.join(folder, 'data')
  const made = ['-D', data, '-U', 'offstage', '-A', 'trust', '-E', 'UTF8', '-N']
  await exec(path.join(bin, 'initdb'), made, as)
  const port = await freePort()
  const given = ['-D', data, '-p', `${port}`, '-k', folder, '-h', '127.0.0.1']
  const options = [...given, ...settings.flatMap((setting) => ['-c', setting])]
  let server
  const start = async () => {
    server = spawn(path.join(bin, 'postgres'), options, { ...as, stdio: 'ignore' })
    await untilReady(port, server)
  }
  const stop = async (signal) => {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill(signal)
    await ended
  }
  await start()
  return {
    port,
    /** Stops the server, by a fast (SIGINT) or an immediate shutdown (SIGQUIT), and starts it again. */
    async restart(signal) {
      await stop(signal)
      await start()
    },
    async close() {
      await stop('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilReady(port, server) {
  for (;;) {
    const pool = poolOf(port)
    pool.on('error', () => undefined)
    try {
      await pool.query('SELECT 1')
      return
    } catch (error) {
      if (server.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    } finally {
      await pool.end()
    }
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
