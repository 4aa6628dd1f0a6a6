// Clients that follow stores, in a process of its own: as many as it is told to have, shared out among the servers.
import { Agent, get } from 'node:http'

const ports = process.argv.slice(2).map(Number)
const agent = new Agent({ keepAlive: false, maxSockets: Infinity })
const openRequests = []
let events = 0

process.on('message', ({ count }) => void change(count))

async function change(count) {
  for (const request of openRequests.splice(count)) request.destroy()
  while (openRequests.length < count)
    await Promise.all(
      Array.from({ length: Math.min(50, count - openRequests.length) }, () => follow()),
    )
  process.send({ events })
}

function follow() {
  return new Promise((resolve, reject) => {
    const request = get(
      {
        host: '127.0.0.1',
        port: ports[openRequests.length % ports.length],
        path: '/history',
        agent,
      },
      (response) => {
        response.on('data', () => {
          events += 1
          resolve()
        })
        response.on('error', () => undefined)
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
      },
    )
    request.on('error', () => undefined)
    openRequests.push(request)
  })
}
// The benchmark that started it has ended.
process.on('disconnect', () => process.exit())
