import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'

/** The larger count of two tokenizers that models are in use with. Marks such as `<|endoftext|>` are text. */
export function countTokens(text: string): number {
  const options = { disallowedSpecial: new Set<string>() }
  return Math.max(countO200k(text, options), countCl100k(text, options))
}
