/** The import of `@mlc-ai/web-llm`. */
export interface WebLLMModule {
  /** The engine's class. WebLLM has its type; `MLCEngineClass` declares the part that Offstage uses. */
  readonly MLCEngine: unknown
}

/** The part of WebLLM 0.2 that Offstage uses (https://webllm.mlc.ai/docs/user/api_reference.html). */
export type MLCEngineClass = new (config: {
  readonly appConfig?: object
  readonly initProgressCallback: (report: { progress: number; text: string }) => void
  readonly logLevel: 'WARN'
}) => MLCEngineInstance

export interface WebLLMRequest {
  readonly stream: true
  readonly messages: readonly unknown[]
  /** WebLLM's `ResponseFormat`. */
  readonly response_format?: object
}

export interface MLCEngineInstance {
  readonly chat: {
    readonly completions: {
      /** Streams Chat Completions chunks. */
      create(request: WebLLMRequest): Promise<AsyncIterable<unknown>>
    }
  }
  reload(modelId: string, chatOptions?: object): Promise<void>
  /** Also aborts a `reload` in progress. */
  unload(): Promise<void>
  /** Ends the current answer with the finish reason `abort`. */
  interruptGenerate(): Promise<void> | void
}
