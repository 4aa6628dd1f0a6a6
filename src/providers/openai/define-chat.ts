import { baseURLOf } from '../core/base-url.ts'
import { createRefusedStrict } from '../core/refused-strict.ts'
import type { HttpProviderDefinition } from '../provider.ts'
import { endChat, mapChatChunk, startChat, type ChatState } from './map-chunk.ts'
import { chatPresets, type ChatRules } from './presets.ts'
import { createRefusedFields } from './refused-fields.ts'
import { toChatRequest } from './to-request.ts'

/** Chat Completions with one server's rules. */
function defineChat(id: string, rules: ChatRules): HttpProviderDefinition<ChatState> {
  const refused = createRefusedFields()
  const strict = createRefusedStrict()
  return {
    id,
    baseURL: (config) => baseURLOf(config, rules, id).href,
    toRequest: (request, config) =>
      toChatRequest(request, strict.apply(config), {
        providerId: id,
        rules: refused.apply(rules, config),
      }),
    start: (request, { strictTools = false }) => startChat(id, request, strictTools),
    mapChunk: mapChatChunk,
    end: endChat,
    isEnding: (state) => state.isFinished,
    adapt: (_, config, error) =>
      refused.learn(rules, config, error) || (rules.strict !== null && strict.learn(config, error)),
  }
}

/** OpenAI and every preset with its format. */
export function chatProviders(): readonly HttpProviderDefinition<ChatState>[] {
  return Object.entries(chatPresets).map(([id, rules]) => defineChat(id, rules))
}
