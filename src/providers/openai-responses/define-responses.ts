import { baseURLOf } from '../core/base-url.ts'
import type { ChatRules } from '../openai/presets.ts'
import type { HttpProviderDefinition } from '../provider.ts'
import {
  endResponses,
  mapResponsesEvent,
  startResponses,
  type ResponsesState,
} from './map-event.ts'
import { toResponsesRequest } from './to-request.ts'

/** OpenAI's Responses with one server's rules. */
export function defineResponses(
  id: string,
  rules: ChatRules,
): HttpProviderDefinition<ResponsesState> {
  return {
    id,
    baseURL: (config) => baseURLOf(config, rules, id).href,
    toRequest: (request, config) => toResponsesRequest(request, config, { providerId: id, rules }),
    start: (request, { strictTools = false, maxOutputTokens }) =>
      startResponses(id, request, {
        isStrict: strictTools && rules.strict !== null,
        limit: maxOutputTokens,
      }),
    mapChunk: mapResponsesEvent,
    end: endResponses,
  }
}
