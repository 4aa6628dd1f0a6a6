/** How long browsers remember what a preflight allowed. Chromium takes no more than two hours. */
const MAX_AGE_SECONDS = 7200

/** Whether a request is a browser's question whether a page of another origin may send one. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method')
}

export function preflightResponse({ headers }: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST',
      // All of them: only `passHeaders` reach the model's server.
      'access-control-allow-headers': headers.get('access-control-request-headers') ?? '',
      'access-control-max-age': String(MAX_AGE_SECONDS),
    },
  })
}

/** Adds what lets a page of a listed origin read the response, and use its cookies. */
export function allowOrigin(
  response: Response,
  request: Request,
  origins: ReadonlySet<string | null>,
): Response {
  if (origins.size === 0) return response
  const origin = request.headers.get('origin')
  const headers = new Headers(response.headers)
  headers.append('vary', 'origin')
  if (origin !== null && origins.has(origin)) {
    headers.set('access-control-allow-origin', origin)
    headers.set('access-control-allow-credentials', 'true')
    headers.set('access-control-expose-headers', [...response.headers.keys()].join(', '))
  }
  const { status, body } = response
  return new Response(body, { status, headers })
}
