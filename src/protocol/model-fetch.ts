/** A model's HTTP request that the page makes, because the worker may not reach its address. */
export interface ModelFetch {
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly credentials: 'omit' | 'same-origin'
  /** Transferred with the request. Carries `BytesNotice`s to the worker and `BytesWish`es back. */
  readonly bytes: MessagePort
}

/** The head of the response. `hasBody`: its bytes follow on the port. */
export interface ModelFetchHead {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly hasBody: boolean
}

/** The text of the page's policy that refused the request. */
export interface ModelFetchRefusal {
  readonly refusedBy: string
}

/** A piece of the body (its buffer is transferred), or how the body ended. */
export type BytesNotice =
  | Uint8Array
  | { readonly type: 'end' }
  | { readonly type: 'broken'; readonly message: string }

/** `more` allows the page to send that many more pieces. Initially it may send `FETCH_WINDOW`. */
export type BytesWish =
  | { readonly type: 'more'; readonly pieces: number }
  | { readonly type: 'cancel' }

/** Pieces of a body that the page may send before the worker has read them. */
export const FETCH_WINDOW = 16
