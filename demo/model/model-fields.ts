import { byId, el, setText } from '../lib/dom.ts'
import type { ModelChoice } from './model-choice.ts'
import { NO_MODEL, presetOf, presets } from './presets.ts'

export type TypedModel = Omit<ModelChoice, 'hadKey'> & { readonly apiKey: string }

/** The fields in which a model is named by hand. */
export interface ModelFields {
  show(choice: Omit<ModelChoice, 'hadKey'>): void
  read(): TypedModel
  focusKey(): void
}

export function createModelFields(): ModelFields {
  const provider = byId('provider', HTMLSelectElement)
  const baseURL = byId('base-url', HTMLInputElement)
  const model = byId('model', HTMLInputElement)
  const apiKey = byId('api-key', HTMLInputElement)
  provider.append(
    ...presets.map((preset) => el('option', { value: preset.provider }, preset.label)),
  )

  const showPreset = (): void => {
    const preset = presetOf(provider.value)
    const isModel = provider.value !== NO_MODEL
    setText(byId('provider-note', HTMLElement), preset?.note ?? '')
    byId('model-fields', HTMLElement).hidden = !isModel
    byId('model-test', HTMLElement).hidden = !isModel
    baseURL.value = preset?.baseURL ?? ''
    model.value = preset?.model ?? ''
    for (const field of [baseURL, model]) field.required = isModel
  }
  provider.addEventListener('change', showPreset)

  return {
    show(choice) {
      provider.value = choice.provider
      showPreset()
      baseURL.value = choice.baseURL || baseURL.value
      model.value = choice.model || model.value
    },
    read: () => ({
      provider: provider.value,
      baseURL: baseURL.value,
      model: model.value,
      apiKey: apiKey.value,
    }),
    focusKey: () => apiKey.focus(),
  }
}
