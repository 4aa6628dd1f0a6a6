/** `@wllama/wllama` as it is imported. */
export interface WllamaModule {
  /** The class. Its types are wllama's; `WllamaClass` is the part that is used. */
  readonly Wllama: unknown
}

/** The part of wllama 3.8 that is used. */
export type WllamaClass = new (
  paths: { readonly default: string },
  config: { readonly suppressNativeLog: boolean; readonly logger: WllamaLogger },
) => WllamaInstance

export interface WllamaInstance {
  loadModel(blobs: Blob[], params: object): Promise<void>
  loadModelFromUrl(
    url: string,
    params: {
      readonly signal: AbortSignal
      readonly progressCallback: (progress: { loaded: number; total: number }) => void
    },
  ): Promise<void>
  /**
   * Chunks of Chat Completions go to `onData`; resolves after the last. (Its async iterator leaves a
   * rejection behind that nobody handles, when its reader leaves it.)
   */
  createChatCompletion(options: {
    readonly stream: true
    readonly abortSignal: AbortSignal
    readonly onData: (chunk: unknown) => void
  }): Promise<unknown>
  exit(): Promise<void>
}

interface WllamaLogger {
  debug(...words: unknown[]): void
  log(...words: unknown[]): void
  warn(...words: unknown[]): void
  error(...words: unknown[]): void
}
