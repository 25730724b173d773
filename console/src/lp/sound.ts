import { signal } from '@preact/signals';

const KEPT_AS = 'corridor-sound';

/** Whether new orders are heard. A matter of this browser, not of the key. */
export const isLoud = signal(localStorage.getItem(KEPT_AS) !== 'off');

let speaker: AudioContext | undefined;

export function toggleSound(): void {
  isLoud.value = !isLoud.value;
  localStorage.setItem(KEPT_AS, isLoud.value ? 'on' : 'off');
  ring();
}

const [TONES_HZ, TONE_SECONDS] = [[660, 880], 0.12];

/** Two short tones. Browsers keep quiet until somebody has touched the page. */
export function ring(): void {
  if (!isLoud.value) return;
  speaker ??= new AudioContext();
  void speaker.resume();
  TONES_HZ.forEach((hertz, index) => {
    if (speaker) tone(speaker, hertz, speaker.currentTime + index * TONE_SECONDS);
  });
}

function tone(context: AudioContext, hertz: number, at: number): void {
  const oscillator = new OscillatorNode(context, { frequency: hertz });
  const volume = new GainNode(context, { gain: 0.08 });
  oscillator.connect(volume).connect(context.destination);
  volume.gain.setTargetAtTime(0, at + TONE_SECONDS * 0.7, TONE_SECONDS / 6);
  oscillator.start(at);
  oscillator.stop(at + TONE_SECONDS * 2);
}
