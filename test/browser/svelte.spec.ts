import { onServer } from '../bindings/bundle-app.ts'
import { compileSvelte } from '../bindings/compile-svelte.ts'
import type { Agent } from '../../src/index.ts'
import { boundTest, checkTakenOver, commonTests, createNone, expect } from './support/bound-app.ts'
import { MORE } from './support/more.ts'

const test = boundTest('svelte-app.js', () => [compileSvelte('client')])

commonTests(test, MORE)

test('server-rendered content is hydrated unchanged, and then updates', async ({ takeOver }) => {
  const { renderShell } = (await onServer('svelte-shell.js', [compileSvelte('server')])) as {
    renderShell: (props: { create: () => Agent }) => string
  }
  const markup = renderShell({ create: createNone })
  expect(markup).toContain('<h1>0 messages, loading</h1>')
  expect(markup).toContain('<offstage-chat class="chat"></offstage-chat>')
  await checkTakenOver(await takeOver(markup))
})
