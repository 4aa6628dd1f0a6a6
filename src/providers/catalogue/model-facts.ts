import { families, type ModelFacts } from './families.ts'

/**
 * Facts about a model by its name, as vendors and local servers write it (`qwen3:4b`,
 * `Qwen/Qwen3-4B-Instruct-2507`, a GGUF file's name). `overrides`, by exact model name, replace single
 * facts of the catalogue. Returns `{}` for an unknown model.
 */
export function modelFacts(
  model: string,
  overrides: { readonly [model: string]: ModelFacts } = {},
): ModelFacts {
  const name = plainName(model)
  const family = families.find(([pattern]) => pattern.test(name))
  return { ...family?.[1], ...(Object.hasOwn(overrides, model) && overrides[model]) }
}

/** Lower-case name without the owner before the last slash, or a cloud's vendor prefix before a dot. */
function plainName(model: string): string {
  const last = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return last.replace(/^(?:[a-z]+\.)+(?=[a-z])/, '').replace(/^meta-(?=llama)/, '')
}
