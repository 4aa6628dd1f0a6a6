import { expect, property } from './driven.ts'
import type { DrivenPage } from './driven-page.ts'

export interface Attacked {
  readonly effects: number
  /** Outcome of each answer that the page tried to give. */
  readonly answers: string[]
  readonly results: { readonly outcome: string }[]
}

/**
 * A host whose `#ask` appears with each call that waits; `window.approve` is what its buttons call.
 * Every agent has page tools and `destroy`.
 */
const HOST = `
import { createAgent } from '/dist/index.js'
import { pageTools } from '/dist/page-tools.js'
const consent = new URL(import.meta.url).searchParams.has('person') ? { consent: 'person' } : {}
window.effects = 0
window.answers = []
window.results = []
const destroy = {
  name: 'destroy', description: 'Destroys everything.', annotations: { destructive: true },
  execute: () => { window.effects += 1; return 'gone' },
}
const waiting = []
const noted = async (answer) => {
  try { window.answers.push(String(await answer())) } catch (error) { window.answers.push(error.code) }
}
window.approve = () => noted(() => waiting.at(-1).agent.approve(waiting.at(-1).event))
window.approveAll = () => Promise.all(
  waiting.map(({ agent, event }) => noted(() => agent.approve(event))),
)
window.approveLater = (press, ms) => noted(async () => {
  const { agent, event } = waiting.at(-1)
  const consent = agent.consent(event, press)
  await new Promise((resolve) => setTimeout(resolve, ms))
  return agent.approve(event, { consent })
})
window.deny = async () => String(await waiting.at(-1).agent.deny(waiting.at(-1).event))
window.newAgent = () => createAgent({
  model: { provider: 'scripted', model: 'x', script: { steps: [] } }, storage: 'memory',
  tools: [destroy, ...pageTools()], controlTools: ['ask_user'], ...consent,
})
window.begin = async (steps) => {
  const agent = window.newAgent()
  agent.configure({ model: { provider: 'scripted', model: 'x', script: { steps } } })
  for await (const event of agent.run('Go')) {
    if (event.type === 'tool-approval-request') waiting.push({ agent, event })
    if (event.type === 'question') window.reply = (text) => noted(() => agent.answer(event, text))
    if (/^(tool-approval-request|question)$/.test(event.type)) {
      document.querySelector('#ask').hidden = false
      document.documentElement.dataset.asked = String(waiting.length)
    }
    if (event.type === 'run-end') window.results.push(event.result)
  }
}
document.documentElement.dataset.host = ''
`

export type Open = (options: { body: string }) => Promise<DrivenPage>

export const HOST_FILE = ['/host.js', { body: HOST }] as const

/** `person`: its agents take a person's press for each answer. */
export async function openHost(openPage: Open, body: string, mode?: 'person'): Promise<DrivenPage> {
  const page = await openPage({
    body: `${mode ? '<button id="elsewhere">Elsewhere</button>' : ''}<div id="ask" hidden>${body}</div><script type="module" src="/host.js${mode ? '?person' : ''}"></script>`,
  })
  await expect.poll(() => property(page, 'html[data-host]', 'tagName')).toBe('HTML')
  return page
}

export const use = (toolName: string, input: object = {}) => ({ toolName, input })

export const begin = (page: DrivenPage, steps: object[]): Promise<void> =>
  page.evaluate((script) => {
    ;(window as unknown as { begin: (steps: object[]) => void }).begin(script)
  }, steps)

export const attacked = (page: DrivenPage): Promise<Attacked> =>
  page.evaluate(() => {
    const { effects, answers, results } = window as unknown as Attacked
    return { effects, answers, results }
  })

/** The host's own function, as its code calls it. */
export const callHost = (page: DrivenPage, name: 'approve' | 'approveAll'): Promise<void> =>
  page.evaluate((which) => {
    void (window as unknown as Record<string, () => unknown>)[which]?.()
  }, name)

export const whenAsked = (page: DrivenPage, calls = 1): Promise<void> =>
  expect
    .poll(() => page.evaluate(() => Number(document.documentElement.dataset.asked ?? 0)))
    .toBe(calls)

export const answersOf = async (page: DrivenPage): Promise<readonly string[]> =>
  (await attacked(page)).answers

export const expectAnswers = (page: DrivenPage, ...answers: readonly string[]): Promise<void> =>
  expect.poll(() => answersOf(page)).toEqual(answers)
