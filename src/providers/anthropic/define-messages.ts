import { baseURLOf } from '../core/base-url.ts'
import { createRefusedStrict } from '../core/refused-strict.ts'
import type { HttpProviderDefinition } from '../provider.ts'
import { endMessages, mapMessagesEvent, startMessages, type MessagesState } from './map-event.ts'
import { messagesPresets, type MessagesRules } from './presets.ts'
import { createRefusedThinking } from './refused-thinking.ts'
import { toMessagesRequest } from './to-request.ts'

/** Anthropic's Messages with one vendor's rules. */
function defineMessages(id: string, rules: MessagesRules): HttpProviderDefinition<MessagesState> {
  const refused = createRefusedThinking(id)
  const strict = createRefusedStrict()
  return {
    id,
    baseURL: (config) => baseURLOf(config, rules, id).href,
    toRequest: (request, config) =>
      toMessagesRequest(request, strict.apply(config), { providerId: id, rules, refused }),
    start: (request) => startMessages(id, request),
    mapChunk: mapMessagesEvent,
    end: endMessages,
    isEnding: (state) => state.stopReason !== undefined,
    adapt: (request, config, error) =>
      refused.learn(request, error) || (rules.strict !== null && strict.learn(config, error)),
  }
}

/** Anthropic and MiniMax. */
export function messagesProviders(): readonly HttpProviderDefinition<MessagesState>[] {
  return Object.entries(messagesPresets).map(([id, rules]) => defineMessages(id, rules))
}
