import { byId, el, setText } from '../lib/dom.ts'
import type { ModelChoice } from './model-choice.ts'
import { isServed, NO_MODEL, presetOf, presets } from './presets.ts'

export type TypedModel = Omit<ModelChoice, 'hadKey'> & {
  readonly apiKey: string
  /** A model's file, for wllama. */
  readonly file?: File
}

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
  const file = byId('model-file', HTMLInputElement)
  provider.append(
    ...presets.map((preset) => el('option', { value: preset.provider }, preset.label)),
  )

  const showPreset = (): void => {
    const preset = presetOf(provider.value)
    const isModel = provider.value !== NO_MODEL
    const isServer = isServed(provider.value)
    setText(byId('provider-note', HTMLElement), preset?.note ?? '')
    byId('model-fields', HTMLElement).hidden = !isModel
    byId('model-test', HTMLElement).hidden = !isServer
    for (const id of ['base-url-field', 'api-key-field', 'api-key-note'])
      byId(id, HTMLElement).hidden = !isServer
    byId('model-file-field', HTMLElement).hidden = provider.value !== 'wllama'
    file.value = ''
    // A key is for one provider's address alone.
    apiKey.value = ''
    baseURL.value = preset?.baseURL ?? ''
    model.value = preset?.model ?? ''
    baseURL.required = isServer
    model.required = isModel
  }
  file.addEventListener('change', () => {
    model.value = file.files?.[0]?.name ?? model.value
  })
  provider.addEventListener('change', showPreset)

  return {
    show(choice) {
      provider.value = choice.provider
      showPreset()
      baseURL.value = choice.baseURL || baseURL.value
      model.value = choice.model || model.value
    },
    read() {
      const chosenFile = file.files?.[0]
      return {
        provider: provider.value,
        baseURL: baseURL.value,
        model: model.value,
        apiKey: apiKey.value,
        ...(chosenFile?.name === model.value && { file: chosenFile }),
      }
    },
    focusKey: () => apiKey.focus(),
  }
}
