// Measures the HTTP store on two servers and one PostgreSQL: appends with few and with many followers beside each other,
// and how many appends one tenant and many tenants get through.
import { fork } from 'node:child_process'
import { STORE_SCHEMA } from '../dist/http-store-server.js'
import { poolOf, startPostgres } from '../test/http-store/postgres.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const FEW = 20
const MANY = Number(process.env.FOLLOWERS ?? 1000)
const APPENDS = 100
/** Between the begins of two appends. Milliseconds. */
const PACE_MS = 50
/** The worst ratio of the two medians. */
const MAX_RATIO = 1.5

const postgres = await startPostgres()
const pool = poolOf(postgres.port)
pool.on('error', () => undefined)
for (const statement of STORE_SCHEMA) await pool.query(statement)
const servers = await Promise.all([1, 2].map(() => startProcess('store-server', [postgres.port])))
const ports = servers.map(({ first }) => first.port)
const { child: followers } = await startProcess('store-followers', ports, { isSilent: true })
const format = await formatOf(ports[0])
const { epoch } = await callStore(ports[0], 'claim', { at: 1 })

let order = 0

const measured = { [FEW]: [], [MANY]: [] }
for (let round = 0; round <= ROUNDS; round++)
  for (const count of [FEW, MANY]) {
    const before = await sendMessage(followers, { count })
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const idle = await costOf(() => new Promise((resolve) => setTimeout(resolve, 3000)))
    const times = []
    const busy = await costOf(async () => {
      for (let n = 0; n < APPENDS; n++) times.push(await append(`${round}-${count}-${n}`, n))
    })
    const after = await sendMessage(followers, { count })
    // The first round warms the servers up.
    if (round > 0) measured[count].push({ times, idle, busy, events: after.events - before.events })
  }
for (const count of [FEW, MANY]) {
  const rows = measured[count]
  const mean = (pick) => rows.reduce((sum, row) => sum + pick(row), 0) / rows.length
  console.log(
    `${`${count} followers`.padEnd(16)} append ${medianOf(count).toFixed(1)} ms; ${mean((row) => row.idle.transactions / 3).toFixed(1)} transactions a second while idle; ${mean((row) => row.busy.cpuMs / APPENDS).toFixed(1)} ms of the servers' CPU and ${mean((row) => row.events / APPENDS).toFixed(0)} chunks an append`,
  )
}
const ratio = medianOf(MANY) / medianOf(FEW)
console.log(`${MANY} beside ${FEW}   ${ratio.toFixed(2)} times`)
if (ratio > MAX_RATIO) process.exitCode = 1
for (const tenants of [1, 16]) {
  const { appends, seconds, cost } = await throughput(tenants)
  const perAppend = (amount) => (amount / appends).toFixed(1)
  console.log(
    `${`${tenants} tenants`.padEnd(16)} ${(appends / seconds).toFixed(0)} appends a second; each ${perAppend(cost.cpuMs)} ms of the servers' CPU and ${perAppend(cost.bytes / 1000)} kB of the database's log`,
  )
}
for (const child of [followers, ...servers.map((server) => server.child)]) child.kill()
await pool.end()
await postgres.close()

function medianOf(count) {
  const times = measured[count].flatMap((row) => row.times).toSorted((a, b) => a - b)
  return times[Math.floor(times.length / 2)]
}

/** Milliseconds of one append of two rows, to the servers in turns. */
async function append(appendId, n) {
  const startedAt = performance.now()
  order += 1
  const rows = [runStarted(appendId), runEnded(appendId)]
  await callStore(ports[n % 2], 'append', { epoch, appendId, order, rows })
  const ms = performance.now() - startedAt
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, PACE_MS - ms)))
  return ms
}

/** Appends of 16 writers for some seconds, which share out the tenants. */
async function throughput(tenants) {
  await sendMessage(followers, { count: 0 })
  const run = Math.random().toString(36).slice(2)
  const writers = await Promise.all(
    Array.from({ length: 16 }, async (_, n) => {
      const target = { tenant: `${run}-${n % tenants}`, conversationId: `c${n}` }
      const { epoch } = await callStore(ports[n % 2], 'claim', { ...target, at: 1 })
      return { port: ports[n % 2], target: { ...target, epoch } }
    }),
  )
  const seconds = 5
  let appends = 0
  const cost = await costOf(async () => {
    const deadline = performance.now() + seconds * 1000
    await Promise.all(
      writers.map(async ({ port, target }, writer) => {
        for (let n = 0; performance.now() < deadline; n++) {
          const id = `${writer}-${n}`
          const rows = [runStarted(id), runEnded(id)]
          await callStore(port, 'append', { ...target, appendId: id, order: n + 1, rows })
          appends += 1
        }
      }),
    )
  })
  return { appends, seconds, cost }
}

/** Transactions and log of the database, and CPU of the servers, while something is done. */
async function costOf(work) {
  const before = await costs()
  await work()
  const after = await costs()
  return {
    transactions: after.commits - before.commits,
    bytes: after.bytes - before.bytes,
    cpuMs: after.cpuMs - before.cpuMs,
  }
}

async function costs() {
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const { rows } = await pool.query(
    `SELECT xact_commit AS commits, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes
     FROM pg_stat_database WHERE datname = 'postgres'`,
  )
  const usages = await Promise.all(servers.map(({ child }) => sendMessage(child, {})))
  const cpuMs = usages.reduce((sum, { cpu }) => sum + (cpu.user + cpu.system) / 1000, 0)
  return { commits: Number(rows[0].commits), bytes: Number(rows[0].bytes), cpuMs }
}

async function callStore(port, call, { tenant, ...fields }) {
  const { value, error } = await post(
    port,
    { call, format, conversationId: 'c', ...fields },
    tenant,
  )
  if (error) throw new Error(error.message)
  return value
}

async function post(port, body, tenant = 'team') {
  const response = await fetch(`http://127.0.0.1:${port}/history`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-tenant': tenant },
    body: JSON.stringify(body),
  })
  return response.json()
}

async function startProcess(name, args, { isSilent = false } = {}) {
  const file = new URL(`lib/${name}.mjs`, import.meta.url)
  const child = fork(file, args.map(String))
  return { child, first: isSilent ? null : await nextMessage(child) }
}

function sendMessage(child, message) {
  const answer = nextMessage(child)
  child.send(message)
  return answer
}

function nextMessage(child) {
  return new Promise((resolve) => child.once('message', resolve))
}

/** The format of rows, which the server tells a client with an older one. */
async function formatOf(port) {
  const { error } = await post(port, { call: 'claim', format: 0, conversationId: 'c', at: 1 })
  return error.details.format
}

function runStarted(runId) {
  const message = { id: `m${runId}`, parts: [{ type: 'text', text: 'x'.repeat(400) }] }
  const limits = { maxSteps: 10, retries: 3 }
  return { type: 'run-started', runId, at: 5, parentId: null, message, limits }
}

function runEnded(runId) {
  return { type: 'run-ended', runId, at: 6, end: { outcome: 'completed' } }
}
