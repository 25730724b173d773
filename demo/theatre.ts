import type { Config } from '../src/config.ts';
import { loadSecrets } from '../src/secrets.ts';
import type { Ending } from './ending.ts';
import { startOwnCorridor } from './own-corridor.ts';
import { runningCorridor, temporalUi, workflowUrlOf } from './running-corridor.ts';
import type { Stage } from './stage.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

/** What every story is given: somebody who listens, and an ending. */
export interface Theatre extends Pick<Stage, 'tell' | 'show'> {
  ending: Ending;
  /** A Corridor of the story's own is left running until somebody interrupts it. */
  keep: boolean;
}

/** Plays a story from its beginning to its last line; what it needs is put up before, and left to the ending. */
export type Play = (theatre: Theatre) => Promise<void>;

/** The story is told on the Corridor that the settings lead to. */
export const onRunningCorridor =
  (story: (stage: Stage) => Promise<void>): Play =>
  async (theatre) => {
    await story(await stageOn(await runningCorridor(), theatre));
  };

/** The story is told on a Corridor that is there for it alone, with these settings. */
export const onOwnCorridor =
  (settings: Record<string, string>, story: (stage: Stage) => Promise<void>): Play =>
  async (theatre) => {
    const { tell, show, ending, keep } = theatre;
    const named = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    tell('This story starts a Corridor of its own, and removes it at the end.');
    show(`settings: ${named.join(' ')}`);
    const { config, ended } = await startOwnCorridor({ settings, progress: show, ending });
    show(`ready at ${config.publicUrl}`);
    const stage = await stageOn(config, theatre);
    const lost = ended.then(() => {
      throw new Error('the Corridor of this story ended before it did');
    });
    await Promise.race([story(stage), lost]);
    if (!keep) return;
    tell('The Corridor of this story runs on until Ctrl-C, for you to look around.');
    show(`Temporal UI: ${temporalUi(config)}`);
    await ended;
  };

async function stageOn(config: Config, { tell, show, ending }: Theatre): Promise<Stage> {
  const { adminApiKey, webhookSecret } = await loadSecrets(config);
  const receiver = await startWebhookReceiver(webhookSecret);
  ending.add(receiver.close);
  return {
    baseUrl: config.publicUrl,
    adminKey: adminApiKey,
    receiver,
    tell,
    show,
    workflowUrl: workflowUrlOf(config),
  };
}
