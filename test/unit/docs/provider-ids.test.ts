import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { PROVIDER_IDS } from '../../../src/protocol/model.ts'
import { messagesPresets } from '../../../src/providers/anthropic/presets.ts'
import { chatPresets } from '../../../src/providers/openai/presets.ts'
import { createProviderRegistry } from '../../../src/providers/registry.ts'
import { read, root } from './sources.ts'

// The compiler checks that each id is in one group of provider-ids.ts, and that each group's ids are defined.

test.each(PROVIDER_IDS)('the provider %s is built in, or its engine is named', (provider) => {
  const create = (): unknown => createProviderRegistry().create({ provider, model: 'm' })
  if (['webllm', 'wllama', 'prompt-api'].includes(provider))
    expect(create).toThrow(/provided by the page: pass \w+\(\) from offstage\//)
  else expect(create()).toMatchObject({ id: provider })
})

test('a preset has an id that configurations may use', () => {
  const presets = [...Object.keys(chatPresets), ...Object.keys(messagesPresets)]
  expect(presets.filter((id) => !(PROVIDER_IDS as readonly string[]).includes(id))).toEqual([])
})

test.each(PROVIDER_IDS)('the provider %s is documented', (provider) => {
  expect(read('README.md')).toContain(`\`${provider}\``)
  const page = `docs/providers/${provider}.md`
  if (provider !== 'scripted') expect(existsSync(path.join(root, page)), page).toBe(true)
})

test.each([...Object.keys(chatPresets), ...Object.keys(messagesPresets)])(
  'the preset %s is in the guide and in the demo',
  (provider) => {
    expect(read('docs/getting-started.md')).toContain(`\`${provider}\``)
    expect(read('demo/model/presets.ts')).toContain(`provider: '${provider}'`)
  },
)
