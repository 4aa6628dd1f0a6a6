import { createElement, type ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import type { Agent } from '../../src/index.ts'
import { onServer } from '../bindings/bundle-app.ts'
import { boundTest, checkTakenOver, commonTests, createNone, expect } from './support/bound-app.ts'

const test = boundTest('react-app.jsx')

commonTests(test)

test('in strict mode one agent is created, runs a tool once, and is disposed of on unmount', async ({
  show,
}) => {
  const { page, app, press } = await show('plain', { isStrict: true })
  await press('Order')
  await app.begun(1)
  await app.finish('a mug')
  await expect(page.getByRole('log')).toHaveText('Ordered.')
  await expect(page.locator('output')).toHaveText('succeeded a mug')
  expect(await app.seen()).toMatchObject({ created: 1, disposed: 0, executed: 1 })
  await page.evaluate('app.unmount()')
  await expect.poll(async () => (await app.seen()).disposed).toBe(1)
})

test('F17 when strict mode remounts the app during a call, its tool runs once', async ({
  show,
}) => {
  const { page, app, press } = await show('plain', { isStrict: true })
  await press('Order')
  await app.begun(1)
  await page.evaluate(`
    app.unmount()
    app.mount('plain', { isStrict: true })
  `)
  await expect.poll(async () => (await app.seen()).created).toBe(2)
  await page.evaluate(`
    void app.seen.agents[1].resume().then(async (run) => {
      window.resumed = run !== null
      window.result = await run.result
    })
  `)
  await expect.poll(() => page.evaluate('window.resumed')).toBe(true)
  await app.begun(1)
  await app.finish('a mug')
  await expect
    .poll(() => page.evaluate('window.result'))
    .toMatchObject({
      outcome: 'completed',
      text: 'Ordered.',
      toolCalls: [{ status: 'succeeded', output: { value: 'a mug' } }],
    })
  expect(await app.seen()).toMatchObject({ created: 2, disposed: 1, executed: 1 })
  expect(page.workers()).toHaveLength(1)
})

test('a component that suspends during its call keeps it', async ({ show }) => {
  const { page, app, press } = await show('suspense')
  await press('Order')
  await app.begun(1)
  await press('Suspend')
  await expect(page.getByText('Waiting')).toBeVisible()
  await app.finish('a mug')
  await expect(page.locator('output')).toHaveText('succeeded a mug')
  await page.evaluate('settle()')
  await expect(page.getByRole('button', { name: 'Suspend' })).toBeVisible()
  expect((await app.seen()).executed).toBe(1)
})

test('server-rendered content is hydrated unchanged, and then updates', async ({ takeOver }) => {
  const { Shell } = (await onServer('react-shell.jsx')) as {
    Shell: ComponentType<{ create: () => Agent }>
  }
  const markup = renderToString(createElement(Shell, { create: createNone }))
  expect(markup).toContain('<h1>0 messages, loading</h1>')
  expect(markup).toContain('<offstage-chat class="chat"></offstage-chat>')
  await checkTakenOver(await takeOver(markup))
})
