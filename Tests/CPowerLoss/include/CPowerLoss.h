#ifndef RACLETTE_CPOWERLOSS_H
#define RACLETTE_CPOWERLOSS_H

/// Registers the SQLite file system "power-loss", which holds every write in memory until the file is
/// synced. What is on the disk at any moment is what would be left after the power failed then.
/// Returns SQLite's result code.
int power_loss_register(void);

/// The number of syncs that have been made, over all files.
int power_loss_syncs(void);

/// Makes every write and sync after the given number of further syncs do nothing and succeed, as on a
/// machine that is off. Negative: never.
void power_loss_fail_after(int syncs);

/// Makes every write fail as on a full disk, or succeed again.
void power_loss_fill_disk(int is_full);

#endif
