import type { McpFetch } from './options.ts'

/** The page's `fetch`, looked up at each call, so that a later replacement by the app is used. */
export const pageFetch: McpFetch = (url, request) => fetch(url, request)
