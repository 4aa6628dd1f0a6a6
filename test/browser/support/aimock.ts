import { LLMock } from '@copilotkit/aimock'

/** A running aimock: a mock server that somebody else wrote, with its own idea of the format. */
export interface Aimock {
  /** For a model's `baseURL`; ends in `/v1`. */
  readonly baseURL: string
  /** To add fixtures (`onMessage`, `onToolResult` …) and to read the requests. */
  readonly mock: LLMock
  close(): Promise<void>
}

export async function startAimock(configure: (mock: LLMock) => void): Promise<Aimock> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' })
  configure(mock)
  await mock.start()
  return { baseURL: `${mock.url}/v1`, mock, close: () => mock.stop() }
}
