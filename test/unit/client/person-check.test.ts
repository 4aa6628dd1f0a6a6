import { afterEach, describe, expect, test, vi } from 'vitest'
import type { AgentOptions } from '../../../src/client/api/options.ts'
import { pageActs } from '../../../src/protocol/page-acts.ts'
import { consentTo, simulateUserGesture } from '../../../src/testing/create-test-agent.ts'
import { call, output, stage, started, startedRun, until } from './fake-worker.ts'

// Page tools can't run here; what they leave on record can.

afterEach(() => {
  Object.assign(pageActs(), { open: 0, turns: 0, pressed: -1, staleUntil: 0 })
  vi.unstubAllGlobals()
})

const activation = (isActive: boolean | undefined): void =>
  void vi.stubGlobal('navigator', isActive === undefined ? {} : { userActivation: { isActive } })

/** An agent that has asked about a call, after which page tools have acted. */
async function asked(how: 'asked' | 'interrupted' = 'asked', options: Partial<AgentOptions> = {}) {
  pageActs().turns = 4
  const set = stage(options)
  const { command, worker } = await startedRun(set, 'x', { conversationId: 'c1' })
  const { subscribe, getSnapshot } = set.agent.conversation('c1')
  subscribe(() => {})
  worker.tell(command, started(command), output('', { calls: ['t1'] }), call[how]('t1'))
  await until(() => getSnapshot().pending.length)
  return { agent: set.agent, worker, seq: worker.lastSeq(command) }
}

describe('an answer, once a chat shows the agent,', () => {
  const shown = async (options: Partial<AgentOptions> = {}) => {
    const set = await asked('asked', options)
    set.agent.requirePerson()
    return set
  }

  test('needs a user gesture', async () => {
    const { agent, worker } = await shown()
    await expect(agent.approve('t1')).rejects.toMatchObject({ code: 'consent-refused' })
    expect(worker.of('answerCall')).toEqual([])
    simulateUserGesture()
    expect(await agent.approve('t1')).toBe(true)
  })

  test('needs no gesture when it lets nothing run, or the app says so', async () => {
    const { agent } = await shown()
    expect(await agent.deny('t1')).toBe(true)
    const { agent: free } = await shown({ consent: 'page' })
    expect(await free.approve('t1')).toBe(true)
  })
})

describe('an answer', () => {
  test('is accepted from any code while no page tools have acted since the question', async () => {
    const { agent } = await asked()
    expect(await agent.approve('t1')).toBe(true)
  })

  test('is refused before the worker while page tools act, despite a gesture', async () => {
    const { agent, worker } = await asked()
    Object.assign(pageActs(), { open: 1, turns: 5, pressed: 5 })
    activation(true)
    await expect(agent.approve('t1')).rejects.toMatchObject({ code: 'consent-refused' })
    await expect(agent.answer('t1', 'yes')).rejects.toMatchObject({ code: 'consent-refused' })
    expect(worker.of('answerCall')).toEqual([])
    expect(await agent.deny('t1')).toBe(true)
  })

  test('without content is accepted from anybody, but one with values is not', async () => {
    const { agent, worker } = await asked()
    Object.assign(pageActs(), { open: 1, turns: 5 })
    activation(true)
    const values = { action: 'accept', content: { name: 'Ann' } } as const
    await expect(agent.answer('t1', values)).rejects.toMatchObject({ code: 'consent-refused' })
    expect(worker.of('answerCall')).toEqual([])
    expect(await agent.answer('t1', { action: 'decline' })).toBe(true)
    expect(await agent.answer('t1', { action: 'cancel' })).toBe(true)
  })

  test.each([
    ['without an activation', { pressed: -1, staleUntil: 0 }, false, false],
    ['with one that may be older', { pressed: -1, staleUntil: Infinity }, true, false],
    ['with one that is newer', { pressed: -1, staleUntil: 0 }, true, true],
    ['with a press that was seen', { pressed: 6, staleUntil: Infinity }, true, true],
    ['with a press from before', { pressed: 5, staleUntil: Infinity }, true, false],
    ['where the browser tells nothing', { pressed: -1, staleUntil: 0 }, undefined, false],
    ['where only a press tells', { pressed: 6, staleUntil: 0 }, undefined, true],
  ])('after page tools have acted, %s', async (_name, acts, isActive, taken) => {
    const { agent } = await asked()
    Object.assign(pageActs(), { turns: 6, ...acts })
    activation(isActive)
    const answer = await agent.approve('t1').catch((error: { code: string }) => error.code)
    expect(answer).toBe(taken || 'consent-refused')
  })

  test('to run again is refused like an approval, but a past verdict is accepted', async () => {
    const { agent } = await asked('interrupted')
    pageActs().turns = 6
    activation(false)
    await expect(agent.resolveInterrupted('t1', 'run-again')).rejects.toMatchObject({
      code: 'consent-refused',
    })
    expect(await agent.resolveInterrupted('t1', 'happened')).toBe(true)
  })

  test('to a call from before the page load needs a person', async () => {
    const { agent } = stage()
    pageActs().turns = 2
    activation(false)
    await expect(agent.approve('old')).rejects.toMatchObject({ code: 'consent-refused' })
  })
})

describe('an answer that needs a user gesture', () => {
  const person = { consent: 'person' } as const
  const refused = { code: 'consent-refused' }

  test('is refused to code, and one gesture is good for one answer', async () => {
    simulateUserGesture()
    const { agent, worker } = await asked('asked', person)
    await expect(agent.approve('t1')).rejects.toMatchObject(refused)
    await expect(agent.answer('t1', 'yes')).rejects.toMatchObject(refused)
    await expect(agent.supplyOutput('t1', 1)).rejects.toMatchObject(refused)
    await expect(agent.settle('t1', { output: 1 })).rejects.toMatchObject(refused)
    await expect(agent.resolveInterrupted('t1', 'run-again')).rejects.toMatchObject(refused)
    expect(worker.commands.some(({ method }) => /answer|supply/.test(method))).toBe(false)
    simulateUserGesture()
    expect(await agent.approve('t1')).toBe(true)
    await expect(agent.approve('t1')).rejects.toMatchObject(refused)
  })

  test('needs no gesture when it lets nothing run', async () => {
    const { agent } = await asked('asked', person)
    expect(await agent.deny('t1')).toBe(true)
    expect(await agent.settle('t1', { error: 'No.' })).toBe(true)
    expect(await agent.answer('t1', { action: 'cancel' })).toBe(true)
  })

  test('refers to the question that was shown', async () => {
    const { agent, worker, seq } = await asked('asked', person)
    simulateUserGesture()
    await agent.approve('t1', { remember: 'run' })
    expect(worker.of('answerCall')).toMatchObject([
      { answer: { type: 'approve', remember: 'run', askedAt: seq } },
    ])
  })

  test.each<[string, () => void]>([
    ['act', () => void Object.assign(pageActs(), { open: 1, turns: 5 })],
    ['have acted since', () => void Object.assign(pageActs(), { turns: 6 })],
  ])('is refused while page tools %s, despite a gesture or consent', async (_name, act) => {
    const { agent } = await asked('asked', person)
    const consent = consentTo(agent, 't1')
    simulateUserGesture()
    act()
    await expect(agent.approve('t1', { consent })).rejects.toMatchObject(refused)
    await expect(agent.approve('t1')).rejects.toMatchObject(refused)
  })

  test('accepts a consent for two minutes, once, and for its call only', async () => {
    const { agent } = await asked('asked', person)
    const now = vi.spyOn(performance, 'now')
    const start = performance.now()
    const consent = consentTo(agent, 't1')
    now.mockReturnValue(start + 119_000)
    await expect(agent.approve('t2', { consent })).rejects.toMatchObject(refused)
    expect(await agent.approve({ conversationId: 'c1', toolCallId: 't1' }, { consent })).toBe(true)
    await expect(agent.approve('t1', { consent })).rejects.toMatchObject(refused)
    now.mockReturnValue(start + 200_000)
    const late = consentTo(agent, 't1')
    now.mockReturnValue(start + 321_000)
    await expect(agent.approve('t1', { consent: late })).rejects.toMatchObject(refused)
    now.mockRestore()
  })

  test('is refused for a gesture older than five seconds', async () => {
    const { agent } = await asked('asked', person)
    const now = vi.spyOn(performance, 'now')
    const start = performance.now()
    simulateUserGesture()
    now.mockReturnValue(start + 5500)
    await expect(agent.approve('t1')).rejects.toMatchObject(refused)
    expect(() => agent.consent('t1')).toThrow(expect.objectContaining(refused) as Error)
    now.mockRestore()
  })

  test("accepts no event made by a script, nor another agent's consent", async () => {
    const { agent } = await asked('asked', person)
    simulateUserGesture()
    const event = new Event('click')
    expect(() => agent.consent('t1', event)).toThrow(expect.objectContaining(refused) as Error)
    expect(() => agent.consent('t1', { nativeEvent: event })).toThrow(
      expect.objectContaining(refused) as Error,
    )
    const other = stage(person).agent
    const consent = consentTo(other, 't1')
    await expect(agent.approve('t1', { consent })).rejects.toMatchObject(refused)
  })

  test.each<[string, () => unknown]>([
    ['says so of itself', () => ({ isTrusted: true, type: 'click', timeStamp: 1, detail: 1 })],
    ['is within what React makes', () => ({ nativeEvent: { isTrusted: true, type: 'click' } })],
    [
      'is a proxy of one',
      () =>
        new Proxy(new Event('click'), {
          get: (event, name) => (name === 'isTrusted' ? true : Reflect.get(event, name)),
        }),
    ],
    [
      'inherits from one',
      () => Object.create(new Event('click'), { isTrusted: { value: true }, detail: { value: 1 } }),
    ],
  ])('accepts no event that only %s', async (_name, make) => {
    const { agent } = await asked('asked', person)
    expect(() => agent.consent('t1', make() as Event)).toThrow(
      expect.objectContaining(refused) as Error,
    )
    await expect(agent.approve('t1')).rejects.toMatchObject(refused)
  })

  test('keeps its gesture for another try when its content was invalid', async () => {
    const { agent, worker } = await asked('asked', person)
    const wrong = { inputs: {} } as object
    simulateUserGesture()
    await expect(agent.approve('t1', wrong)).rejects.toMatchObject({ code: 'invalid-config' })
    await expect(
      agent.answer({ conversationId: '', toolCallId: 't1' }, 'yes'),
    ).rejects.toMatchObject({ code: 'invalid-input' })
    expect(worker.of('answerCall')).toEqual([])
    expect(await agent.approve('t1')).toBe(true)
    await expect(agent.approve('t1')).rejects.toMatchObject(refused)

    const consent = consentTo(agent, 't1')
    await expect(agent.approve('t1', { ...wrong, consent })).rejects.toMatchObject({
      code: 'invalid-config',
    })
    expect(await agent.approve('t1', { consent })).toBe(true)
    await expect(agent.approve('t1', { consent })).rejects.toMatchObject(refused)
  })
})

describe('the content of an answer', () => {
  test('is fixed at the moment of the answer', async () => {
    const { agent, worker } = await asked()
    const discussed = { conversationId: 'c9', toolCallId: 't9' }
    await agent
      .conversation('c9')
      .discuss(discussed, 'Why?')
      .catch(() => undefined)
    const ref = { conversationId: 'c1', toolCallId: 't1' }
    const input = { amount: 1, lines: [{ name: 'mug' }] }
    const how = { input }
    const answer = { action: 'accept' as const, content: { name: 'Ann' } }
    const outcome = { output: { paid: 1 } }
    const answers = [
      agent.approve(ref, how),
      agent.answer(ref, answer),
      agent.settle(ref, outcome),
      agent.resolveInterrupted(ref, 'happened', outcome.output),
    ]
    ref.toolCallId = 'another'
    input.amount = 1000
    input.lines.push({ name: 'car' })
    Object.assign(how, { remember: 'conversation', input: { amount: 2000 } })
    answer.content.name = 'Eve'
    outcome.output.paid = 1000
    await Promise.all(answers)
    const said = [
      { type: 'approve', input: { amount: 1, lines: [{ name: 'mug' }] }, askedAt: 3 },
      { type: 'accept', content: { name: 'Ann' } },
      { type: 'settle', output: { type: 'json', value: { paid: 1 } } },
      { type: 'resolve', verdict: 'happened', output: { type: 'json', value: { paid: 1 } } },
    ]
    expect(worker.of('answerCall')).toMatchObject(
      said.map((each) => ({ toolCallId: 't1', answer: each })),
    )
    expect(JSON.stringify(worker.of('answerCall'))).not.toContain('remember')
  })

  test('is also fixed for a message and a supplied output', async () => {
    const { agent, worker } = await asked()
    const part = { type: 'text' as const, text: 'Buy one.' }
    const output = { paid: 1 }
    const steered = agent.conversation('c1').steer([part])
    const supplied = agent.supplyOutput('t1', output)
    part.text = 'Buy all.'
    output.paid = 1000
    await Promise.allSettled([steered, supplied])
    expect(worker.of('sendMessage')).toMatchObject([
      { message: { parts: [{ type: 'text', text: 'Buy one.' }] } },
    ])
    expect(worker.of('supplyOutput')).toMatchObject([
      { output: { type: 'json', value: { paid: 1 } } },
    ])
  })
})

describe('an approval of several calls', () => {
  async function two(options: Partial<AgentOptions> = {}) {
    const set = stage(options)
    const { command, worker } = await startedRun(set, 'x', { conversationId: 'c1' })
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    subscribe(() => {})
    worker.tell(command, started(command), output('', { calls: ['t1', 't2'] }), call.asked('t1'))
    await until(() => getSnapshot().pending.length === 1)
    const askSecond = async () => {
      worker.tell(command, call.asked('t2'))
      await until(() => getSnapshot().pending.length === 2)
    }
    return { agent: set.agent, worker, askSecond }
  }

  test('uses one gesture for all of them', async () => {
    const { agent, worker, askSecond } = await two({ consent: 'person' })
    await askSecond()
    await expect(agent.approveAll(['t1', 't2'])).rejects.toMatchObject({ code: 'consent-refused' })
    expect(worker.of('answerCall')).toEqual([])
    simulateUserGesture()
    expect(await agent.approveAll(['t1', 't2'])).toBe(2)
    await expect(agent.approve('t1')).rejects.toMatchObject({ code: 'consent-refused' })
  })

  test('accepts no gesture from before one of the questions', async () => {
    const { agent, worker, askSecond } = await two({ consent: 'person' })
    simulateUserGesture()
    await askSecond()
    await expect(agent.approveAll(['t1', 't2'])).rejects.toMatchObject({ code: 'consent-refused' })
    expect(worker.of('answerCall')).toEqual([])
  })

  test('uses no gesture when there are no calls', async () => {
    const { agent } = await two({ consent: 'person' })
    simulateUserGesture()
    expect(await agent.approveAll([])).toBe(0)
    expect(await agent.approve('t1')).toBe(true)
  })

  test('is refused once page tools have acted since the first question', async () => {
    const { agent, askSecond } = await two()
    pageActs().turns = 9
    activation(false)
    await askSecond()
    await expect(agent.approveAll(['t1', 't2'])).rejects.toMatchObject({ code: 'consent-refused' })
  })
})
