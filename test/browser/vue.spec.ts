import { createSSRApp, type Component } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { onServer } from '../bindings/bundle-app.ts'
import { boundTest, checkTakenOver, commonTests, createNone, expect } from './support/bound-app.ts'
import { MORE } from './support/more.ts'

const test = boundTest('vue-app.js')

commonTests(test, MORE)

test('server-rendered content is hydrated unchanged, and then updates', async ({ takeOver }) => {
  const { Shell } = (await onServer('vue-shell.js')) as { Shell: Component }
  const markup = await renderToString(createSSRApp(Shell, { create: createNone }))
  expect(markup).toContain('<h1>0 messages, loading</h1>')
  expect(markup).toContain('<offstage-chat class="chat"></offstage-chat>')
  await checkTakenOver(await takeOver(markup))
})
