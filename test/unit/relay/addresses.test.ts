import { expect, it } from 'vitest'
import { MODEL, serveRelay } from './support.ts'

// URL parsers remove tabs and line breaks wherever they stand: `new URL('https:\t//a/')` is https://a/.
it.each([
  'https://intranet.example/a.pdf',
  'https:\t//intranet.example/a.pdf',
  'https:\n//intranet.example/a.pdf',
])('passes no address %j as the data of a file', async (address) => {
  expect(new URL(address).hostname).toBe('intranet.example')
  const { post, received } = await serveRelay()
  const file = { type: 'file', file: { filename: 'a.pdf', file_data: address } }
  const body = { model: MODEL, messages: [{ role: 'user', content: [file] }] }
  const response = await post('/chat/completions', body, { headers: { 'x-user': 'ann' } })
  expect(response.status).toBe(400)
  expect(received).toEqual([])
})
