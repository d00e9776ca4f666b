import { Context } from '@deepseek-ai/cordis';
import AgentRegistry from '@deepseek-ai/dsh-agent';
import AgentLoop from '@deepseek-ai/dsh-agent-loop';
import * as AgentLoopInvariant from '@deepseek-ai/dsh-agent-loop/invariant';
import CommandRuntime from '@deepseek-ai/dsh-commands';
import InvariantRegistry from '@deepseek-ai/dsh-invariants';
import LlmRuntime, { createUserMessage } from '@deepseek-ai/dsh-llm';
import SessionStore, { SessionId } from '@deepseek-ai/dsh-session';
import * as SessionInvariant from '@deepseek-ai/dsh-session/invariant';
import JsonlSessionPersistence from '@deepseek-ai/dsh-session-persistence-jsonl';
import SqliteSessionQuery from '@deepseek-ai/dsh-session-query-sqlite';
import SystemPrompt from '@deepseek-ai/dsh-system-prompt';
import ToolRuntime from '@deepseek-ai/dsh-tools';
import ApprovalService from '@deepseek-ai/dsh-user-approval';
import { ScriptedAdapter, type Answer, type Otherwise } from './scripted.js';

export interface Host {
  readonly ctx: Context;
  readonly model: ScriptedAdapter;
  /** Starts a session, or resumes it. */
  open(session: string, cwd: string, options?: OpenSession): Promise<Chat>;
  close(): Promise<void>;
}

export interface OpenSession {
  readonly resume?: boolean;
  readonly preset?: string;
  readonly subagentOf?: string;
  /** The session's log up to here is that of another one, which it was forked from. */
  readonly forkOf?: Chat;
}

type Handle = Awaited<ReturnType<Context['agents']['create']>>;

export interface Chat {
  readonly agent: Handle['agent'];
  /** Says something, and waits until the agent has answered. */
  say(text: string): Promise<void>;
  /** What the model is shown, as text. */
  shown(): string;
  close(): Promise<void>;
}

export interface HostOptions {
  /** Where the sessions' logs are. */
  readonly root: string;
  readonly script?: Answer[];
  readonly otherwise?: Otherwise;
  readonly plugins?: readonly (readonly [plugin: object, config?: unknown])[];
}

/** The host's own packages, put together in this process; only the model is scripted. */
export async function startHost(options: HostOptions): Promise<Host> {
  const ctx = new Context();
  await ctx.plugin(InvariantRegistry, { enabled: true });
  await ctx.plugin(AgentLoopInvariant);
  await ctx.plugin(SessionInvariant);
  await ctx.plugin(LlmRuntime);
  await ctx.plugin(SessionStore);
  await ctx.plugin(SystemPrompt, {});
  await ctx.plugin(ToolRuntime, {});
  await ctx.plugin(AgentRegistry);
  await ctx.plugin(AgentLoop, { agents: [] });
  await ctx.plugin(JsonlSessionPersistence, { root: options.root, compression: 'none' });
  await ctx.plugin(SqliteSessionQuery, { path: ':memory:', openAt: 'never' });
  await ctx.plugin(CommandRuntime);
  await ctx.plugin(ApprovalService, {});
  const model = new ScriptedAdapter(options.script ?? [], options.otherwise);
  ctx.llm.registerAdapter(['scripted'], model);
  for (const [plugin, config] of options.plugins ?? [])
    await ctx.plugin(plugin as never, config as never);
  const agentOptions = { provider: 'scripted', model: 'm' };
  return {
    ctx,
    model,
    async open(session, cwd, { resume, preset, subagentOf, forkOf } = {}) {
      const seed = forkOf?.agent.session.events;
      const handle =
        resume === true
          ? await ctx.agents.resume({ resumeSessionId: SessionId(session), agentOptions })
          : await ctx.agents.create({
              sessionId: SessionId(session),
              ...(seed === undefined ? {} : { seed }),
              meta: {
                cwd,
                ...(forkOf === undefined || seed === undefined
                  ? {}
                  : { parentSession: forkOf.agent.id, seedLength: seed.length }),
                ...(preset === undefined ? {} : { agentPreset: preset }),
                ...(subagentOf === undefined
                  ? {}
                  : {
                      origin: 'subagent' as const,
                      delegationDepth: 1,
                      parentSession: SessionId(subagentOf),
                    }),
              },
              agentOptions,
            });
      return chat(ctx, handle);
    },
    close: async () => {
      await ctx.fiber.dispose();
    },
  };
}

function chat(ctx: Context, handle: Handle): Chat {
  const { agent } = handle;
  return {
    agent,
    async say(text) {
      const content = [{ type: 'text' as const, text }];
      agent.followup(createUserMessage({ content, source: { kind: 'user' } }));
      await agent.whenIdle();
      await ctx.sessions.flush(agent.session);
    },
    shown: () => JSON.stringify(agent.session.deriveMessages()),
    close: () => handle.dispose(),
  };
}
