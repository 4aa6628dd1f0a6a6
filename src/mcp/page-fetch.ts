import type { McpFetch } from './options.ts'

/** The page's own: what the app replaces it with later counts. */
export const pageFetch: McpFetch = (url, request) => fetch(url, request)
