import { baseURLOf } from '../core/base-url.ts'
import type { HttpProviderDefinition } from '../provider.ts'
import { endMessages, mapMessagesEvent, startMessages, type MessagesState } from './map-event.ts'
import { messagesPresets, type MessagesRules } from './presets.ts'
import { toMessagesRequest } from './to-request.ts'

/** Anthropic's Messages with one vendor's rules. */
function defineMessages(id: string, rules: MessagesRules): HttpProviderDefinition<MessagesState> {
  return {
    id,
    baseURL: (config) => baseURLOf(config, rules, id).href,
    toRequest: (request, config) => toMessagesRequest(request, config, { providerId: id, rules }),
    start: (request) => startMessages(id, request),
    mapChunk: mapMessagesEvent,
    end: endMessages,
    isEnding: (state) => state.stopReason !== undefined,
  }
}

/** Anthropic and MiniMax. */
export function messagesProviders(): readonly HttpProviderDefinition<MessagesState>[] {
  return Object.entries(messagesPresets).map(([id, rules]) => defineMessages(id, rules))
}
