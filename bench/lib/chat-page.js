// Runs in the page: an answer in tokens, read by hand in the page, and shown by the chat.
import { createParser } from 'eventsource-parser'
import { createAgent } from '/dist/index.js'
import '/dist/chat.js'

export { seed } from './chat-seed.js'

const chat = document.querySelector('offstage-chat')
/** Characters that have been read so far, by whichever way. */
let characters = () => 0
let longest = 0
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longest = Math.max(longest, duration)
}).observe({ entryTypes: ['longtask'] })

/** The longest task since it was asked last, of those that the browser reports: of 50 ms and more. */
export function longestTask() {
  const result = longest
  longest = 0
  return result
}

/** The floor: what the plainest page does with an answer, without showing it. */
export function beginByHand(prompt) {
  let text = ''
  characters = () => text.length
  void readByHand(prompt, (piece) => {
    text += piece
  })
}

async function readByHand(prompt, onText) {
  const body = JSON.stringify({ messages: [{ role: 'user', content: prompt }] })
  const response = await fetch('/v1/chat/completions', { method: 'POST', body })
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return
      const piece = JSON.parse(data).choices[0]?.delta.content
      if (piece) onText(piece)
    },
  })
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    parser.feed(decoder.decode(value, { stream: true }))
  }
}

/** The agent that the chat shows. */
export function showAgent({ storage = 'memory' } = {}) {
  chat.agent ??= createAgent({
    model: { provider: 'openai-compatible', model: 'bench', baseURL: `${location.origin}/v1` },
    storage,
  })
  return chat.agent
}

/** Goes to the newest text, and stays with it. */
export function follow() {
  const log = chat.shadowRoot.querySelector('.log')
  log.scrollTop = log.scrollHeight
}

export function beginInChat(prompt) {
  const agent = showAgent()
  chat.conversationId = agent.newConversationId()
  characters = () => {
    const { messages } = agent.conversation(chat.conversationId).getSnapshot()
    const last = messages.at(-1)
    return last?.role === 'assistant' ? (last.parts[0]?.text.length ?? 0) : 0
  }
  chat.send(prompt)
}

/** Looks seldom: it is part of what is measured. */
export async function untilRead(count) {
  while (characters() < count) await new Promise((resolve) => setTimeout(resolve, 100))
}

const articles = () => chat.shadowRoot.querySelectorAll('article')

/** Shows a conversation of the store: milliseconds until its newest messages are there, and until so many are. */
export async function openStored({ name, conversationId, count }) {
  const agent = showAgent({ storage: { name } })
  await agent.prepare()
  const startedAt = performance.now()
  let first = 0
  chat.conversationId = conversationId
  for (;;) {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    const shown = articles()
    const isShown =
      shown.length >= 2 && shown[shown.length - 1].dataset.message.startsWith(conversationId)
    if (!isShown) continue
    first ||= performance.now() - startedAt
    if (shown.length >= count) return { first, ms: performance.now() - startedAt }
  }
}

/** Milliseconds until nothing more is drawn of an answer that has come. */
export async function untilDrawn() {
  const startedAt = performance.now()
  let [length, changedAt] = [-1, startedAt]
  while (performance.now() - changedAt < 1000) {
    const newLength = articles()[articles().length - 1]?.textContent.length ?? 0
    if (newLength !== length) [length, changedAt] = [newLength, performance.now()]
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return changedAt - startedAt
}

/** Up to the very first message, as with a wheel that is turned without a pause: milliseconds. */
export async function scrollThrough() {
  const log = chat.shadowRoot.querySelector('.log')
  const startedAt = performance.now()
  while (log.scrollTop > 0 || log.querySelector(':scope > .earlier')) {
    log.scrollTop -= 400
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  return performance.now() - startedAt
}
