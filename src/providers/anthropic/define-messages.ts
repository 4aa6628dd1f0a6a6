import { baseURLOf } from '../core/base-url.ts'
import type { MessagesId } from '../provider-ids.ts'
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

/** Anthropic, or MiniMax. */
export function messagesProvider(id: MessagesId): HttpProviderDefinition<MessagesState> {
  return defineMessages(id, messagesPresets[id])
}
